import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bound } from '../../../src/core/heights/findHeight.ts';
import { backfilled, readBetween } from '../../../src/core/paging/readBetween.ts';
import type { Window } from '../../../src/core/stream/stream.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { span } from '../../span.ts';
import { createDisturbedList, wrongPages } from './disturbedList.ts';
import { createStore, drive, type Store } from './driver.ts';
import { createListSource } from './listSource.ts';
import { upTo } from './upTo.ts';

const reader =
  (from: Bound, to: Bound | null = null, size?: number) =>
  (window: Window) =>
    readBetween(
      {
        window,
        request: (token) => ({ kind: 'get', path: '/list', query: { size, token }, weight: 1 }),
        cursor: 'cursor',
        time: 'time',
        height: 'cursor',
      },
      { from, to },
    );

const cursorsOf = (store: Store) => [...store.rows.values()].map(({ cursor }) => cursor).sort((a, b) => a - b);

describe('readBetween', () => {
  test.each<[string, Bound, Bound | null, number[], number, unknown]>([
    ['heights', { height: 40 }, { height: 60 }, span(40, 60), 7, { height: 40 }],
    // Ten times the cursor.
    ['times', { time: 400 }, { time: 600 }, span(40, 60), 7, { time: 400 }],
    ['a height and the newest', { height: 90 }, null, span(90, 96), 2, { height: 90 }],
    ['an age, which counts from the newest row', { age: 100 }, null, span(85, 96), 3, { time: 850 }],
    ['the beginning', { height: 0 }, { height: 3 }, [1, 2], 10, { height: 0 }],
  ])('takes what lies between %s, and ends below it', (_, from, to, cursors, requests, floor) => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(95));
    expect(drive(reader(from, to), source, store)).toBe(true);
    expect(cursorsOf(store)).toEqual(cursors);
    expect(source.requests()).toBe(requests);
    expect(store.position).toEqual({ floor });
    // It is done: nothing is asked any more.
    expect(drive(reader(from, to), source, store)).toBe(true);
    expect(source.requests()).toBe(requests);
  });

  test('goes on with its token after a kill, and from the newest row where that is too old, or of another page size', () => {
    const source = createListSource(10);
    source.hold(upTo(95));
    const [killed, late, other] = [createStore(), createStore(), createStore()];
    for (const store of [killed, late, other])
      expect(drive(reader({ height: 40 }), source, store, { steps: 6 })).toBe(false);
    expect(killed.position).toMatchObject({ floor: { height: 40 }, reading: { token: expect.any(String), at: 0 } });
    const before = source.requests();
    drive(reader({ height: 40 }), source, killed, { now: 1 });
    expect(source.requests() - before).toBe(4);
    drive(reader({ height: 40 }), source, late, { now: 25 * 3600 * 1000 });
    expect(source.requests() - before).toBe(4 + 7);
    drive(reader({ height: 40 }, null, 20), source, other);
    expect(source.requests() - before).toBe(4 + 7 + 4);
    for (const store of [killed, late, other]) expect(cursorsOf(store)).toEqual(span(40, 96));
  });

  test('starts over where its token is refused, gives up after three times, and forgets one that leads nowhere', () => {
    const source = createListSource(10, [null, null, 'expired']);
    const store = createStore();
    source.hold(upTo(45));
    expect(drive(reader({ height: 0 }), source, store)).toBe(true);
    expect(cursorsOf(store)).toEqual(span(1, 46));
    // Of another run, whose token the service has forgotten.
    const restarted = createListSource(10);
    restarted.hold(upTo(45));
    const begun = createStore();
    drive(reader({ height: 0 }), source, begun, { steps: 6 });
    expect(drive(reader({ height: 0 }), restarted, begun)).toBe(true);
    expect(cursorsOf(begun)).toEqual(span(1, 46));
    const stubborn = createListSource(10, Array(99).fill('expired'));
    stubborn.hold(upTo(45));
    expect(() => drive(reader({ height: 0 }), stubborn, createStore())).toThrow('pageToken has expired');
    const endless = createListSource(10, Array(99).fill('duplicate'));
    endless.hold(upTo(45));
    const lost = createStore();
    expect(() => drive(reader({ height: 0 }), endless, lost)).toThrow(/paging would never end/);
    expect(lost.position).toEqual({});
  });

  test('leaves nothing durable where the list is empty, and gives on what cannot be read', () => {
    const source = createListSource(10);
    const store = createStore();
    expect(drive(reader({ height: 4 }), source, store)).toBe(true);
    expect(store.position).toBeNull();
    const odd = { id: 'odd', cursor: 'none' as never };
    // A record that cannot be read lies outside if it still names a place outside.
    const outside = [1, 9].map((cursor) => ({ id: null as never, cursor }));
    source.hold([...upTo(9), odd, ...outside, { id: null as never, cursor: 5 }]);
    drive(reader({ height: 4 }, { height: 7 }), source, store);
    expect(cursorsOf(store)).toEqual([4, 5, 6]);
    expect([...store.quarantined].map((record) => JSON.parse(record).cursor).sort()).toEqual([5, 'none']);
  });

  test('counts an age from the newest row that can be read, though a page without any comes before it', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...upTo(95), ...span(97, 107).map((cursor) => ({ id: null as never, cursor }))]);
    expect(drive(reader({ age: 100 }), source, store)).toBe(true);
    expect(cursorsOf(store)).toEqual(span(85, 96));
    expect(store.quarantined.size).toBe(10);
    expect(store.position).toEqual({ floor: { time: 850 } });
  });

  test('loses no row to growth, kills and wrong pages, once an undisturbed run has followed', { tags: 'long' }, () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ grows: fc.nat(30), steps: fc.nat(20) }), { maxLength: 5 }),
        wrongPages(60),
        fc.nat(60),
        fc.nat(60),
        (runs, faults, floor, length) => {
          const list = createDisturbedList(faults);
          const pagesOf = reader({ height: floor }, { height: floor + length });
          let items = upTo(floor + length);
          for (const { grows, steps } of runs) {
            items = upTo(items.length + grows);
            list.read(pagesOf, items, { steps });
          }
          expect(cursorsOf(list.finish(pagesOf, items, { now: 1e9 }))).toEqual(
            span(Math.max(1, floor), floor + length),
          );
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });
});

test.each([
  ['lower', { time: 5 }, { time: 3 }, { time: 3 }],
  ['higher', { time: 5 }, { time: 8 }, { time: 5 }],
  ['lower', { height: 5 }, { height: 3 }, { height: 3 }],
  ['unknown', { height: 5 }, undefined, { height: 5 }],
])('a floor that is %s becomes that of the stream or not', (_, since, floor, becomes) => {
  const done = backfilled({ cursor: 9, since }, floor ? { floor } : {});
  expect(done).toEqual({ cursor: 9, since: becomes });
});
