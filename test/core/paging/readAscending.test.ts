import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAscending } from '../../../src/core/paging/readAscending.ts';
import type { Pages, Window } from '../../../src/core/stream.ts';
import { createStore, drive } from './driver.ts';
import { createListSource, type Faults, type Item } from './listSource.ts';

function* pagesOf(window: Window): Pages {
  yield* readAscending({
    from: Number(window.position?.['next'] ?? 0),
    request: (from, token) => ({
      kind: 'get',
      path: '/list',
      query: { from, token, sortOrder: 'asc' },
      weight: 1,
    }),
    cursor: 'cursor',
    position: (next) => ({ next }),
  });
}

const upTo = (newest: number): Item[] => Array.from({ length: newest }, (_, i) => ({ id: `${i + 1}`, cursor: i + 1 }));

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

  test('asks once where there is nothing new', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(45));
    drive(pagesOf, source, store);
    const before = source.requests();
    drive(pagesOf, source, store);
    expect(source.requests() - before).toBe(1);
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

  test('goes on at the checkpoint where a token is refused, and gives up after three times', () => {
    const source = createListSource(10, [null, null, null, 'expired']);
    const store = createStore();
    source.hold(upTo(60));
    expect(drive(pagesOf, source, store)).toBe(true);
    expect(store.rows.size).toBe(60);
    // Three pages, the refusal, and then from row 20 on.
    expect(source.requests()).toBe(4 + 5);
    const stubborn = createListSource(
      10,
      Array.from({ length: 99 }, () => 'expired' as const),
    );
    stubborn.hold(upTo(60));
    expect(() => drive(pagesOf, stubborn, createStore())).toThrow('pageToken has expired');
  });

  test('loses no row to growth, kills and wrong pages, once an undisturbed run has followed', () => {
    const fault = fc.constantFrom(null, null, null, 'duplicate', 'overlap', 'reorder', 'empty', 'short', 'expired');
    fc.assert(
      fc.property(
        fc.array(fc.record({ grows: fc.nat(40), ties: fc.integer({ min: 1, max: 12 }), steps: fc.nat(25) }), {
          maxLength: 6,
        }),
        fc.array(fault, { maxLength: 60 }),
        (runs, faults) => {
          const source = createListSource(5, faults as Faults);
          const store = createStore();
          let items: Item[] = [];
          for (const { grows, ties, steps } of runs) {
            const newest = items.at(-1)?.cursor ?? 0;
            const added = Array.from({ length: grows }, (_, i) => ({
              id: `${items.length + i}`,
              cursor: newest + Math.floor((i + 1) / ties),
            }));
            items = [...items, ...added];
            source.hold(items);
            try {
              drive(pagesOf, source, store, { steps });
            } catch {
              // The next run goes on.
            }
          }
          const calm = createListSource(5);
          calm.hold(items);
          expect(drive(pagesOf, calm, store)).toBe(true);
          expect([...store.rows.keys()].sort()).toEqual(items.map(({ id }) => id).sort());
        },
      ),
      { numRuns: 200 },
    );
  });
});
