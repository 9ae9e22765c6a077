import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { look } from '../../../src/core/paging/look.ts';
import { looksBackBySets, readSets, setsBegun } from '../../../src/core/paging/readSets.ts';
import type { Pages, Window } from '../../../src/core/stream/stream.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { createDisturbedList, wrongPages } from './disturbedList.ts';
import { createStore, drive } from './driver.ts';
import { createListSource, type Item, type ListSource } from './listSource.ts';

interface Given {
  readonly groups: readonly (readonly string[])[];
  readonly atOnce?: number;
  readonly from?: { cursor: number } | { age: number };
  readonly to?: number;
}

const reader =
  ({ groups, atOnce = 2, from = { cursor: 0 }, to }: Given) =>
  (window: Window): Pages =>
    readSets({
      window,
      groups,
      pack: (some) => {
        const requests: string[][] = [];
        for (const group of some) {
          const open = requests.at(-1);
          if (open && open.length + group.length <= atOnce) open.push(...group);
          else for (let i = 0; i < group.length; i += atOnce) requests.push(group.slice(i, i + atOnce));
        }
        return requests;
      },
      from,
      to: to ?? null,
      *head() {
        const { page } = yield* look((token) => ({ kind: 'get', path: '/list', query: { size: 1, token }, weight: 1 }));
        page.drop();
        return page.numbers('cursor')[0] ?? null;
      },
      request: (members, start, end, token) => ({
        kind: 'get',
        path: '/list',
        query: { owners: members.join(','), from: start, to: end ?? undefined, sortOrder: 'asc', token },
        weight: 1,
      }),
      cursor: 'cursor',
    });

const owned = (owner: string, ...cursors: readonly number[]): Item[] =>
  cursors.map((cursor) => ({ id: `${owner}${cursor}`, cursor, owner }));

function requestsOf(source: ListSource, work: () => void): number {
  const before = source.requests();
  work();
  return source.requests() - before;
}

describe('readSets', () => {
  test('reads members together while they fit one request, with one request where there is nothing new', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...owned('a', 1, 5), ...owned('b', 3)]);
    const pages = reader({ groups: [['a'], ['b']] });
    expect(requestsOf(source, () => drive(pages, source, store))).toBe(1);
    expect([...store.rows.keys()].sort()).toEqual(['a1', 'a5', 'b3']);
    expect(store.position).toEqual({ sets: [{ next: 5, members: ['a', 'b'] }] });
    expect(requestsOf(source, () => drive(pages, source, store))).toBe(1);
  });

  test('reads a new member alone from the beginning, then with the rest', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...owned('a', 1, 5), ...owned('b', 2, 9)]);
    drive(reader({ groups: [['a']] }), source, store);
    expect(store.rows.has('b2')).toBe(false);
    // Requests for the head, for the old member up to it, and for the new one up to it.
    expect(requestsOf(source, () => drive(reader({ groups: [['a'], ['b']] }), source, store))).toBe(3);
    expect([...store.rows.keys()].sort()).toEqual(['a1', 'a5', 'b2', 'b9']);
    expect(store.position).toEqual({ sets: [{ next: 9, members: ['a', 'b'] }] });
    expect(requestsOf(source, () => drive(reader({ groups: [['a'], ['b']] }), source, store))).toBe(1);
  });

  test('brings members of several requests to the same place, and asks the head alone where it has not moved', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...owned('a', 1), ...owned('b', 2), ...owned('c', 7)]);
    const pages = reader({ groups: [['a'], ['b'], ['c']] });
    expect(requestsOf(source, () => drive(pages, source, store))).toBe(1 + 2);
    expect(store.position).toEqual({ sets: [{ next: 7, members: ['a', 'b', 'c'] }] });
    expect(requestsOf(source, () => drive(pages, source, store))).toBe(1);
  });

  test('keeps the place of members that are no longer asked for', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...owned('a', 1), ...owned('b', 4)]);
    drive(reader({ groups: [['a'], ['b']] }), source, store);
    drive(reader({ groups: [['a']] }), source, store);
    expect(store.position).toEqual({ sets: [{ next: 4, members: ['a', 'b'] }] });
  });

  test('reads a group from the beginning, since together its members may show more, and goes on where one is split', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...owned('a', 1, 5), ...owned('b', 3), ...owned('a+b', 2)]);
    drive(reader({ groups: [['a'], ['b']] }), source, store);
    expect(store.rows.has('a+b2')).toBe(false);
    drive(reader({ groups: [['b', 'a', 'a+b']], atOnce: 3 }), source, store);
    expect(store.rows.has('a+b2')).toBe(true);
    expect(store.position).toEqual({ sets: [{ next: 5, members: ['a', 'a,a+b,b', 'b'] }] });
    source.hold([...owned('a', 1, 9), ...owned('b', 8)]);
    drive(reader({ groups: [['a', 'b', 'a+b']], atOnce: 3 }), source, store);
    const apart = reader({ groups: [['a'], ['b']] });
    source.hold(owned('a', 1, 10));
    drive(apart, source, store);
    expect(store.position).toMatchObject({ sets: [{ next: 9 }, { next: 10, members: ['a', 'b'] }] });
    // A group that is larger than a request is torn, and each part keeps its place.
    const torn = reader({ groups: [['a', 'b', 'c']] });
    drive(torn, source, store);
    expect(store.position).toMatchObject({ sets: [{ next: 9 }, { next: 10, members: ['a', 'a,b', 'b', 'c'] }] });
  });

  test('takes no group for read that shares a member with one that was', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...owned('a', 1, 5), ...owned('c', 2), ...owned('e', 3)]);
    const inTurn = [
      [['a', 'b']],
      [['b', 'c']],
      [
        ['d', 'f'],
        ['f', 'e'],
      ],
    ];
    for (const groups of inTurn) drive(reader({ groups }), source, store);
    expect([...store.rows.keys()].sort()).toEqual(['a1', 'a5', 'c2', 'e3']);
  });

  test('groups that were read keep their places where others begin, and where a read looked back', () => {
    const position = { sets: [{ next: 3, members: ['a'] }] };
    const both = { sets: [...position.sets, { next: 9, members: ['b'] }] };
    expect(setsBegun(position, [['a'], ['b']], 9)).toEqual(both);
    const { moved, notBelow } = looksBackBySets('cursor');
    expect(moved(both, (next) => (next < 5 ? null : next - 4))).toEqual({ sets: [{ next: 5, members: ['b'] }] });
    expect(notBelow({ sets: [{ next: 5, members: ['a', 'b'] }] }, both)).toEqual({
      sets: [
        { next: 5, members: ['a'] },
        { next: 9, members: ['b'] },
      ],
    });
  });

  test('counts an age from the head, and reads nothing at or above its end', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold(owned('a', 1, 50, 80, 100));
    drive(reader({ groups: [['a']], from: { age: 30 } }), source, store);
    expect([...store.rows.keys()].sort()).toEqual(['a100', 'a80']);
    const other = createStore();
    drive(reader({ groups: [['a']], to: 80 }), source, other);
    expect([...other.rows.keys()].sort()).toEqual(['a1', 'a50']);
  });

  test('an end at the head itself keeps nothing from a read that goes further', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([...owned('a', 1, 80), ...owned('b', 2), ...owned('c', 7)]);
    const groups = [['a'], ['b'], ['c']];
    drive(reader({ groups, to: 80 }), source, store);
    expect(store.rows.has('a80')).toBe(false);
    drive(reader({ groups }), source, store);
    expect(store.rows.has('a80')).toBe(true);
  });

  test.each([6, 0])('says so where the head, %i, lies below where members stand', (head) => {
    const source = createListSource(10);
    const store = createStore();
    const pages = reader({ groups: [['a'], ['b'], ['c']] });
    source.hold([...owned('a', 1), ...owned('b', 2), ...owned('c', 7)]);
    drive(pages, source, store);
    source.hold(owned('a', ...(head ? [head] : [])));
    expect(() => drive(pages, source, store)).toThrow('/list ends below cursor 7, up to which it was read before');
    expect(store.position).toEqual({ sets: [{ next: 7, members: ['a', 'b', 'c'] }] });
  });

  test('does nothing where the source has no rows at all', () => {
    const source = createListSource(10);
    const store = createStore();
    source.hold([]);
    drive(reader({ groups: [['a'], ['b'], ['c']] }), source, store);
    expect(store).toEqual(createStore());
  });

  test('loses no row to growth, new members, kills and wrong pages, once an undisturbed run has followed', {
    tags: 'long',
  }, () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            owners: fc.array(fc.constantFrom(...names), { maxLength: 25 }),
            members: fc.integer({ min: 1, max: 5 }),
            steps: fc.nat(30),
          }),
          { maxLength: 5 },
        ),
        wrongPages(60, ['duplicate', 'overlap', 'reorder', 'short', 'expired']),
        (runs, faults) => {
          const list = createDisturbedList(faults, 4);
          let items: Item[] = [];
          const asking = (count: number) => reader({ groups: names.slice(0, count).map((name) => [name]) });
          for (const { owners, members, steps } of runs) {
            items = [...items, ...owners.flatMap((owner, i) => owned(owner, items.length + i + 1))];
            list.read(asking(members), items, { steps });
          }
          const { rows } = list.finish(asking(names.length), items);
          const wanted = items.map(({ id }) => id).sort();
          expect([...rows.keys()].filter((id) => wanted.includes(id)).sort()).toEqual(wanted);
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });
});
