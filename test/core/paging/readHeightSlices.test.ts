import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readHeightSlices } from '../../../src/core/paging/readHeightSlices.ts';
import type { Pages, Window } from '../../../src/core/stream.ts';
import { createStore, drive, type Store } from './driver.ts';
import { createListSource, cursorOf, type Faults, type Item, itemsOf } from './listSource.ts';

const reader = (options: { to?: number; grouped?: boolean; itemOf?: (record: unknown) => string } = {}) =>
  function* pagesOf(window: Window): Pages {
    yield* readHeightSlices({
      from: Number(window.position?.['next'] ?? 0),
      to: options.to ?? null,
      request: ({ from, to }, token, fewer) => ({
        kind: 'get',
        path: '/list',
        query: { from, to: to ?? undefined, token, fewer },
        weight: 1,
        keep: (record) => !(cursorOf(record) < from) && !(to !== null && cursorOf(record) >= to),
      }),
      records: itemsOf,
      heightOf: cursorOf,
      ...(options.grouped && { groupOf: (record: unknown) => String((record as Item).group) }),
      ...(options.itemOf && { itemOf: options.itemOf }),
    });
  };

const upTo = (newest: number): Item[] => Array.from({ length: newest }, (_, i) => ({ id: `${i + 1}`, cursor: i + 1 }));
const inGroup = (row: Record<string, unknown>) => `${row['group']}#${row['position']}`;

/** What the store should hold of grouped rows: by group, the ids in the order of the list. */
function expected(items: readonly Item[]): string[] {
  const counted = new Map<string, number>();
  return items
    .map(({ id, group = '' }) => {
      const position = counted.get(group) ?? 0;
      counted.set(group, position + 1);
      return `${group}#${position}=${id}`;
    })
    .sort();
}
const held = (store: Store) => [...store.rows].map(([key, row]) => `${key}=${row['id']}`).sort();

describe('readHeightSlices', () => {
  test('reads what fits one page with one request, and asks for the newest height again', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(8));
    drive(reader(), source, store);
    expect(source.requests()).toBe(1);
    expect(store.position).toEqual({ next: 8 });
    source.hold([...upTo(8), { id: 'late', cursor: 8 }]);
    drive(reader(), source, store);
    expect(source.requests()).toBe(2);
    expect(store.rows.has('late')).toBe(true);
  });

  test('reads a longer history oldest slice first, and goes on at the slice that a kill interrupted', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(320));
    drive(reader(), source, store, { steps: 8 });
    const next = Number(store.position?.['next']);
    expect(next).toBeGreaterThan(0);
    const below = upTo(320).filter(({ cursor }) => cursor < next);
    expect(below.every(({ id }) => store.rows.has(id))).toBe(true);
    drive(reader(), source, store);
    expect(store.rows.size).toBe(320);
    expect(store.position).toEqual({ next: 320 });
  });

  test('takes few requests where history is sparse: slices grow', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(Array.from({ length: 30 }, (_, i) => ({ id: `${i}`, cursor: 1_000_000 + i * i * 1000 })));
    drive(reader(), source, store);
    expect(store.rows.size).toBe(30);
    expect(source.requests()).toBeLessThan(16);
  });

  test('reads nothing at or above its end, and asks no more once it is there', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(100));
    drive(reader({ to: 50 }), source, store);
    expect(store.rows.size).toBe(49);
    store.position = { next: 50 };
    const before = source.requests();
    drive(reader({ to: 50 }), source, store);
    expect(source.requests()).toBe(before);
  });

  test('goes through an empty first page that carries a token', () => {
    const source = createListSource(10, ['empty']);
    const store = createStore();
    source.hold(upTo(25));
    drive(reader(), source, store);
    expect(store.rows.size).toBe(25);
    expect(store.position).toEqual({ next: 25 });
  });

  test('counts places in a group that the end of a page cuts', () => {
    const source = createListSource(4);
    const store = createStore();
    // Newest first: 9 rows of height 7 in two groups, cut after the fourth and the eighth.
    const items: Item[] = [
      ...['a', 'a', 'a', 'b', 'b', 'b', 'b', 'b', 'b'].map((group, i) => ({ id: `x${i}`, cursor: 7, group })),
      { id: 'old', cursor: 1, group: 'c' },
    ];
    source.hold(items);
    drive(reader({ grouped: true }), source, store, { keyOf: inGroup });
    expect(held(store)).toEqual(expected(items));
  });

  test('knows rows again by what never changes, where the source says the rest differently each time', () => {
    const source = createListSource(4);
    const store = createStore();
    const items: Item[] = ['a', 'a', 'b', 'b', 'b', 'b', 'b'].map((group, i) => ({ id: `x${i}`, cursor: 7, group }));
    source.hold(items);
    let price = 0;
    const answer = source.answer.bind(source);
    source.answer = (request) => {
      const response = answer(request);
      for (const item of itemsOf(response.body) as { price?: number }[]) item.price = price++;
      return response;
    };
    const itemOf = (record: unknown) => (record as Item).id;
    drive(reader({ grouped: true, itemOf }), source, store, { keyOf: inGroup });
    expect(held(store)).toEqual(expected(items));
    // By the whole record no two reads of the block ever agree.
    expect(() => drive(reader({ grouped: true }), source, createStore(), { keyOf: inGroup })).toThrow(
      /Block 7 reads differently/,
    );
  });

  test('loses and doubles no row to growth, kills and wrong pages, once an undisturbed run has followed', () => {
    const fault = fc.constantFrom(null, null, null, 'duplicate', 'overlap', 'reorder', 'empty', 'short', 'expired');
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            blocks: fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }), { maxLength: 12 }),
            steps: fc.nat(30),
          }),
          { maxLength: 4 },
        ),
        fc.array(fault, { maxLength: 80 }),
        (runs, faults) => {
          const source = createListSource(6, faults as Faults);
          const store = createStore();
          let items: Item[] = [];
          let height = 0;
          const pagesOf = reader({ grouped: true });
          for (const { blocks, steps } of runs) {
            for (const groups of blocks) {
              height++;
              const added = groups.flatMap((size, g) =>
                Array.from({ length: size }, (_, i) => ({
                  id: `${height}.${g}.${i}`,
                  cursor: height,
                  group: `${height}.${g}`,
                })),
              );
              items = [...added, ...items];
            }
            source.hold(items);
            try {
              drive(pagesOf, source, store, { steps, keyOf: inGroup });
            } catch {
              // The next run goes on.
            }
          }
          const calm = createListSource(6);
          calm.hold(items);
          expect(drive(pagesOf, calm, store, { keyOf: inGroup })).toBe(true);
          expect(held(store)).toEqual(expected(items));
        },
      ),
      { numRuns: 200 },
    );
  });
});
