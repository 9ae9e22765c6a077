import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bound } from '../../../src/core/heights/findHeight.ts';
import { readNewestFirst, watchFloor } from '../../../src/core/paging/newestFirst.ts';
import type { Window } from '../../../src/core/stream/stream.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { createDisturbedList, wrongPages } from './disturbedList.ts';
import { createStore, drive, type Store } from './driver.ts';
import { createListSource, type Item, type ListSource } from './listSource.ts';

const reader =
  (from: Bound = { height: 0 }, size?: number, sortOrder?: 'asc') =>
  (window: Window) =>
    readNewestFirst({
      window,
      from,
      request: (token) => ({ kind: 'get', path: '/list', query: { size, sortOrder, token }, weight: 1 }),
      cursor: 'cursor',
      time: 'time',
      height: 'cursor',
    });

const rowsAt = (...cursors: readonly number[]): Item[] =>
  cursors.map((cursor, i) => ({ id: `${cursor}-${i}`, cursor }));
const upTo = (newest: number) => rowsAt(...Array.from({ length: newest }, (_, i) => i + 1));
const idsOf = (store: Store) => [...store.rows.keys()].sort();
const idsFrom = (items: readonly Item[], floor: number) =>
  items
    .filter(({ cursor }) => cursor >= floor)
    .map(({ id }) => id)
    .sort();

function readAll(source: ListSource, store: Store, from?: Bound, now = 0): number {
  const before = source.requests();
  expect(drive(reader(from), source, store, { now })).toBe(true);
  return source.requests() - before;
}

describe('readNewestFirst', () => {
  test('reads to the end of the list and remembers the newest cursor', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(35));
    expect(readAll(source, store)).toBe(4);
    expect(idsOf(store)).toEqual(idsFrom(upTo(35), 0));
    expect(store.position).toEqual({ cursor: 35, since: { height: 0 } });
  });

  test('asks once where there is nothing new, and stops below the checkpoint where there is', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(95));
    readAll(source, store);
    expect(readAll(source, store)).toBe(1);
    source.hold(upTo(112));
    // Two pages of news, and one that is wholly old and so proves that nothing was passed over.
    expect(readAll(source, store)).toBe(3);
    expect(idsOf(store)).toEqual(idsFrom(upTo(112), 0));
  });

  test('finds what is new in a list that ascends, of which the first page ends with the checkpoint', () => {
    const source = createListSource(10);
    const store = createStore();
    for (const newest of [10, 25]) {
      source.hold(upTo(newest));
      drive(reader(undefined, undefined, 'asc'), source, store, { now: 0 });
      expect(idsOf(store)).toEqual(idsFrom(upTo(newest), 0));
    }
  });

  test('takes rows that tie with the checkpoint again: some may have come since', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(rowsAt(1, 2, 3));
    readAll(source, store);
    source.hold([...rowsAt(1, 2, 3), { id: 'late', cursor: 3 }]);
    readAll(source, store);
    expect(idsOf(store)).toContain('late');
  });

  test.each<[string, Bound, number]>([
    ['a height', { height: 70 }, 70],
    ['a time', { time: 705 }, 71],
    ['an age counted from the newest row', { age: 250 }, 75],
  ])('stops the first read at %s', (_, from, floor) => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(100));
    readAll(source, store, from);
    expect(idsOf(store)).toEqual(idsFrom(upTo(100), floor));
    source.hold(upTo(130));
    readAll(source, store, from);
    expect(idsOf(store)).toEqual(idsFrom(upTo(130), floor));
  });

  test('rows below the bound of the first read are no checkpoint, by which what comes above them would be taken', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(60));
    readAll(source, store, { height: 100 });
    expect(store.position).toBeNull();
    source.hold(upTo(105));
    readAll(source, store, { height: 100 });
    expect(idsOf(store)).toEqual(idsFrom(upTo(105), 100));
  });

  test('takes all rows that tie with the checkpoint, on however many pages', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(rowsAt(3));
    readAll(source, store);
    const ties = rowsAt(...Array.from({ length: 25 }, () => 3));
    source.hold(ties);
    readAll(source, store);
    expect(idsOf(store)).toEqual(idsFrom(ties, 0));
  });

  test('goes on with its token after a kill, and then fetches what came meanwhile', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(60));
    expect(drive(reader(), source, store, { steps: 6 })).toBe(false);
    expect(store.position).toMatchObject({ reading: { newest: 60 } });
    source.hold(upTo(65));
    // Three pages were safe; the other three are asked for by token, then the head down to a page that is wholly old.
    expect(readAll(source, store)).toBe(3 + 2);
    expect(idsOf(store)).toEqual(idsFrom(upTo(65), 0));
    expect(store.position).toMatchObject({ cursor: 65 });
  });

  test.each([
    [23, 3 + 1],
    [25, 6],
  ])('begins again at the head only where the token is older than its 24 hours: after %i', (hours, requests) => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(60));
    drive(reader(), source, store, { steps: 6 });
    expect(readAll(source, store, undefined, hours * 3600 * 1000)).toBe(requests);
    expect(idsOf(store)).toEqual(idsFrom(upTo(60), 0));
  });

  test('keeps the checkpoint and the floor of the first run, wherever a later one is killed', () => {
    for (let steps = 1; steps < 20; steps++) {
      const source = createListSource(10);
      const store = createStore();
      source.hold(upTo(60));
      readAll(source, store, { height: 31 });
      source.hold(upTo(100));
      drive(reader({ height: 31 }), source, store, { steps });
      source.hold(upTo(110));
      for (const more of [2, 8, 9]) {
        drive(reader({ height: 31 }), source, store, { steps: more });
        expect((store.position as { cursor?: number }).cursor).toBeGreaterThanOrEqual(60);
        expect(store.position).toMatchObject({ since: { height: 31 } });
      }
      readAll(source, store, { height: 31 });
      expect(store.position).toEqual({ cursor: 110, since: { height: 31 } });
    }
  });

  test('begins again at the head where another page size is asked for than the token was given for', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(60));
    drive(reader(), source, store, { steps: 6 });
    const before = source.requests();
    expect(drive(reader(undefined, 15), source, store)).toBe(true);
    expect(source.requests() - before).toBe(4);
    expect(idsOf(store)).toEqual(idsFrom(upTo(60), 0));
  });

  test('begins again at the head where the token is refused in the middle', () => {
    const source = createListSource(10, [null, null, 'expired']);
    const store = createStore();
    source.hold(upTo(40));
    expect(readAll(source, store)).toBe(3 + 4);
    expect(idsOf(store)).toEqual(idsFrom(upTo(40), 0));
  });

  test('gives up where tokens are refused over and over', () => {
    const source = createListSource(
      10,
      Array.from({ length: 99 }, () => 'expired' as const),
    );
    source.hold(upTo(40));
    expect(() => readAll(source, createStore())).toThrow('pageToken has expired');
    expect(source.requests()).toBe(4 * 2);
  });

  test.each([5, 0])('says so where the list has shrunk to %i rows, and leaves the checkpoint where it is', (left) => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(30));
    readAll(source, store);
    source.hold(upTo(left));
    expect(() => readAll(source, store)).toThrow('/list ends below cursor 30, up to which it was read before');
    expect(store.position).toMatchObject({ cursor: 30 });
    source.hold(upTo(35));
    readAll(source, store);
    expect(idsOf(store)).toEqual(idsFrom(upTo(35), 0));
  });

  test('says so where the list ends above the checkpoint, and reads what lies between once it is there', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(30));
    readAll(source, store);
    source.hold(upTo(65).slice(45));
    expect(() => readAll(source, store)).toThrow('/list ends above cursor 30, up to which it was read before');
    expect(store.position).toMatchObject({ cursor: 30 });
    source.hold(upTo(65));
    readAll(source, store);
    expect(idsOf(store)).toEqual(idsFrom(upTo(65), 0));
  });

  test('knows of an interrupted read that it came down to the checkpoint', () => {
    const source = createListSource(10);
    const store = createStore();
    for (const newest of [10, 65]) {
      source.hold(upTo(newest));
      for (let runs = 0; runs < 5; runs++) drive(reader(undefined, undefined, 'asc'), source, store, { steps: 7 });
    }
    expect(idsOf(store)).toEqual(idsFrom(upTo(65), 0));
    expect(store.position).toMatchObject({ cursor: 65 });
  });

  test('does not move the checkpoint back where the list has shrunk and holds a record without a readable cursor', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(upTo(30));
    readAll(source, store);
    source.hold([...upTo(5), { id: 'odd', cursor: 'none' as never }]);
    readAll(source, store);
    expect(store.position).toMatchObject({ cursor: 30 });
  });

  test('leaves the checkpoint alone where the list is empty', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([]);
    expect(readAll(source, store)).toBe(1);
    expect(store.position).toBeNull();
  });

  test('gives records without a readable cursor on to the schema', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...upTo(3), { id: 'odd', cursor: 'none' as never }]);
    readAll(source, store);
    expect([...store.quarantined]).toEqual([expect.stringContaining('"odd"')]);
    expect(store.position).toMatchObject({ cursor: 3 });
  });

  test('loses no row to growth, kills and wrong pages, once an undisturbed run has followed', { tags: 'long' }, () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ grows: fc.nat(40), ties: fc.boolean(), steps: fc.nat(25) }), { maxLength: 6 }),
        wrongPages(60),
        fc.nat(30),
        (runs, faults, floor) => {
          const list = createDisturbedList(faults);
          let items: Item[] = upTo(floor);
          for (const { grows, ties, steps } of runs) {
            const newest = Math.max(0, ...items.map(({ cursor }) => cursor));
            const added = Array.from({ length: grows }, (_, i) => {
              const cursor = newest + (ties ? Math.ceil((i + 1) / 3) : i + 1);
              return { id: `${cursor}/${items.length + i}`, cursor };
            });
            items = [...items, ...added];
            list.read(reader({ height: floor }), items, { steps });
          }
          expect(idsOf(list.finish(reader({ height: floor }), items))).toEqual(idsFrom(items, floor));
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });
});

test.each([
  ['behind the page that met it', [[12, 9], [8, 7], [6]], 2],
  ['but not itself once more', [[8, 7], [8, 7], [6]], 3],
  ['below the highest page that met it', [[5], [12, 9], [8], [7]], 3],
  ['and not before a page that lies above', [[12, 9], [30], [8], [7]], 4],
])('the floor is passed by a page wholly below it, %s', (_, pages, passedBy) => {
  const floor = watchFloor();
  const passed = pages.findIndex((page) =>
    floor.isPassed(Float64Array.from(page), page.filter((at) => at < 10).length),
  );
  expect(passed + 1).toBe(passedBy);
});
