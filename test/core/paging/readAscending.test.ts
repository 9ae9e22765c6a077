import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { readAscending } from '../../../src/core/paging/readAscending.ts';
import type { Request, Response } from '../../../src/core/requests/request.ts';
import type { Pages, Window } from '../../../src/core/stream/stream.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { span } from '../../span.ts';
import { createDisturbedList, wrongPages } from './disturbedList.ts';
import { createStore, drive } from './driver.ts';
import { createListSource, type Item, type ListSource } from './listSource.ts';
import { upTo } from './upTo.ts';

/** @param earlier how much lower than it should the source begins */
const reader = (earlier = 0) =>
  function* (window: Window): Pages {
    yield* readAscending({
      from: Number(window.position?.['next'] ?? 0),
      holds: window.position !== null,
      request: (from, token) => ({
        kind: 'get',
        path: '/list',
        query: { from: from - earlier, token, sortOrder: 'asc' },
        weight: 1,
      }),
      cursor: 'cursor',
      position: (next) => ({ next }),
    });
  };
const pagesOf = reader();

describe('readAscending', () => {
  test('moves the checkpoint while it reads, one page behind', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(45));
    expect(drive(pagesOf, source, store, { steps: 6 })).toBe(false);
    expect(store.position).toEqual({ next: 20 });
    expect(drive(pagesOf, source, store)).toBe(true);
    expect(store.position).toEqual({ next: 45 });
    expect(store.rows.size).toBe(45);
  });

  test.each([0, 1, 25])('moves it in every run, also where the source begins %i rows lower', (earlier) => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(100));
    for (let runs = 1; !drive(reader(earlier), source, store, { steps: 8 }); runs++) expect(runs).toBeLessThan(20);
    expect([store.rows.size, store.position]).toEqual([100, { next: 100 }]);
  });

  test.each([
    [undefined, 60],
    [550, 55],
  ])('leaves out what a source gives below, above or from time %s on, and does not count it as read', (time, end) => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(95));
    const unheeded = function* ({ position }: Window): Pages {
      yield* readAscending({
        from: Number(position?.['next'] ?? 30),
        to: 60,
        request: (_, token) => ({ kind: 'get', path: '/list', query: { token, sortOrder: 'asc' }, weight: 1 }),
        cursor: 'cursor',
        leaveOut: (page) => page.within('time', undefined, time),
        position: (next) => ({ next }),
      });
    };
    drive(unheeded, source, store);
    expect([...store.rows.values()].map(({ cursor }) => cursor)).toEqual(span(30, end));
    expect(store.position).toEqual({ next: 59 });
  });

  test('passes on that its first page is refused', () => {
    const pages = pagesOf({ position: null, now: 0 });
    pages.next();
    expect(() => pages.throw(new FirnError('refused', 'no such list'))).toThrow(/^no such list$/);
  });

  test('makes nothing durable of a list without rows', () => {
    const store = createStore();
    drive(pagesOf, createListSource(10), store);
    expect(store.position).toBeNull();
  });

  test('asks once where there is nothing new', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(45));
    drive(pagesOf, source, store);
    const before = source.requests();
    drive(pagesOf, source, store);
    expect(source.requests() - before).toBe(1);
  });

  test.each([5, 0])('says so where the list has shrunk to %i rows, and leaves the checkpoint where it is', (left) => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(30));
    drive(pagesOf, source, store);
    source.hold(upTo(left));
    const behind = () => drive(pagesOf, source, store);
    expect(behind).toThrow('/list ends below cursor 30, up to which it was read before');
    expect(behind).toThrow(expect.objectContaining({ code: 'unavailable', retryable: true }));
    expect(store.position).toEqual({ next: 30 });
    source.hold(upTo(31));
    drive(pagesOf, source, store);
    expect(store.position).toEqual({ next: 31 });
  });

  test('stops moving the checkpoint once a page came out of order, until the end', () => {
    const source = createListSource(10, [null, 'reorder', null, null, null]);
    const store = createStore();
    source.hold(upTo(60));
    // Page 3 stands where page 2 belongs: everything above row 10 is unsure until the list has ended.
    drive(pagesOf, source, store, { steps: 7 });
    expect(store.position).toEqual({ next: 10 });
    drive(pagesOf, source, store);
    expect(store.rows.size).toBe(60);
    expect(store.position).toEqual({ next: 60 });
  });

  test('a later page that comes twice does not move the checkpoint past the first one', () => {
    const source = createListSource(10, ['reorder', 'reorder', 'expired']);
    const store = createStore();
    source.hold(upTo(15));
    expect(drive(pagesOf, source, store)).toBe(true);
    expect(store.rows.size).toBe(15);
  });

  test('takes the checkpoint back where rows come from below it, so that a kill or a refused token loses none', () => {
    const pages = [[11, 20], [21, 30], [1, 10], null, [1, 30]];
    const asked: (number | undefined)[] = [];
    const store = createStore();
    let page = 0;
    const answer = ({ query }: Extract<Request, { kind: 'get' }>): Response => {
      asked.push(query?.['from'] as number);
      const span = pages[page++];
      if (!span) throw new FirnError('refused', 'pageToken has expired');
      const [first = 0, last = 0] = span;
      const items = upTo(last).slice(first - 1);
      return { body: { items, ...(page < pages.length && { nextPageToken: `t${page}` }) }, fetchedAt: 0, bytes: 0 };
    };
    const source = { ...createListSource(10), answer } as ListSource;
    drive(pagesOf, source, store, { steps: 6 });
    expect(store.position).toEqual({ next: 0 });
    page = 0;
    expect(drive(pagesOf, source, createStore())).toBe(true);
    expect(asked.at(-1)).toBe(0);
  });

  test('goes on at the checkpoint where a token is refused, as often as it has moved, and else gives up after three times', () => {
    const source = createListSource(10, [null, null, null, 'expired']);
    const store = createStore();
    source.hold(upTo(60));
    expect(drive(pagesOf, source, store)).toBe(true);
    expect(store.rows.size).toBe(60);
    // Three pages, the refusal, and then from row 20 on.
    expect(source.requests()).toBe(4 + 5);
    const often = createListSource(
      10,
      Array.from({ length: 99 }, (_, i) => (i % 4 === 3 ? 'expired' : null)),
    );
    const whole = createStore();
    often.hold(upTo(200));
    expect(drive(pagesOf, often, whole)).toBe(true);
    expect(whole.rows.size).toBe(200);
    const stubborn = createListSource(
      10,
      Array.from({ length: 99 }, () => 'expired' as const),
    );
    stubborn.hold(upTo(60));
    expect(() => drive(pagesOf, stubborn, createStore())).toThrow('pageToken has expired');
  });

  test('loses no row to growth, kills and wrong pages, once an undisturbed run has followed', { tags: 'long' }, () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ grows: fc.nat(40), ties: fc.integer({ min: 1, max: 12 }), steps: fc.nat(25) }), {
          maxLength: 6,
        }),
        wrongPages(60),
        (runs, faults) => {
          const list = createDisturbedList(faults);
          let items: Item[] = [];
          for (const { grows, ties, steps } of runs) {
            const newest = items.at(-1)?.cursor ?? 0;
            const added = Array.from({ length: grows }, (_, i) => ({
              id: `${items.length + i}`,
              cursor: newest + Math.floor((i + 1) / ties),
            }));
            items = [...items, ...added];
            list.read(pagesOf, items, { steps });
          }
          expect([...list.finish(pagesOf, items).rows.keys()].sort()).toEqual(items.map(({ id }) => id).sort());
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });
});
