import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { readNewestFirst } from '../../../src/core/paging/newestFirst.ts';
import { readAscending } from '../../../src/core/paging/readAscending.ts';
import { readBetween } from '../../../src/core/paging/readBetween.ts';
import { readHeightSlices } from '../../../src/core/paging/readHeightSlices.ts';
import { readSets } from '../../../src/core/paging/readSets.ts';
import { cutSlices, readSlices } from '../../../src/core/paging/slices.ts';
import type { Request } from '../../../src/core/requests/request.ts';
import type { Pages, Window } from '../../../src/core/stream/stream.ts';
import { createStore, drive } from './driver.ts';
import { createListSource, type Faults, type Item, type ListSource } from './listSource.ts';

/** What is wanted: from the first on, below the second. The list goes on on both sides. */
const [first, end, newest] = [12, 33, 45];
const held: Item[] = Array.from({ length: newest }, (_, i) => ({ id: `${i + 1}`, cursor: i + 1, owner: 'a' }));

const ask = (query: Record<string, string | number | undefined>): Request => ({
  kind: 'get',
  path: '/list',
  query,
  weight: 1,
});
const nextOf = (window: Window) => Number(window.position?.['next'] ?? first);
const newestFirst = (window: Window) => ({
  window,
  request: (token: string | undefined) => ask({ token }),
  cursor: 'cursor',
  time: 'time',
  height: 'cursor',
});

const bounded = (goesOn: boolean) => ({ below: end, goesOn });

type Way = (window: Window, below: number) => Pages;

/** Each way to page through a list, what it wants from the start, and whether it goes on when more is wanted. */
const ways: readonly (readonly [string, Way, { below: number; goesOn: boolean }])[] = [
  [
    'readAscending',
    function* (window, to): Pages {
      yield* readAscending({
        from: nextOf(window),
        to,
        request: (from, token) => ask({ from, to, token, sortOrder: 'asc' }),
        cursor: 'cursor',
        position: (next) => ({ next }),
      });
    },
    bounded(true),
  ],
  [
    'readBetween',
    (window, below) => readBetween(newestFirst(window), { from: { height: first }, to: { height: below } }),
    bounded(false),
  ],
  [
    'readNewestFirst',
    (window) => readNewestFirst({ ...newestFirst(window), from: { height: first } }),
    { below: newest + 1, goesOn: false },
  ],
  [
    'readHeightSlices',
    (window, below) =>
      readHeightSlices({
        from: nextOf(window),
        to: below,
        pageSize: 5,
        request: ({ from, to }, token, size) => ask({ from, to: to ?? undefined, token, size }),
        height: 'cursor',
        position: (next) => ({ next }),
      }),
    bounded(true),
  ],
  [
    'readSlices',
    (window, below) =>
      readSlices(
        cutSlices(nextOf(window), below, 8),
        'cursor',
        ({ from, to }, token) => ask({ from, to: to ?? undefined, token }),
        ({ to }) => ({ next: to ?? below }),
      ),
    bounded(true),
  ],
  [
    'readSets',
    (window, below) =>
      readSets({
        window,
        groups: [['a']],
        pack: (groups) => groups.map((group) => [...group]),
        from: { cursor: first },
        to: below,
        // One request takes all there are: nothing asks for the head.
        head: () => {
          throw new TypeError('nothing asks for the head');
        },
        request: (members, from, to, token) =>
          ask({ owners: members.join(','), from, to: to ?? undefined, sortOrder: 'asc', token }),
        cursor: 'cursor',
      }),
    bounded(true),
  ],
];

/** What a source does to its pages; `bounds` are those it does not heed. */
const situations: readonly (readonly [string, { faults?: Faults; down?: number; bounds?: readonly string[] }])[] = [
  ['all goes well, and the last page is short', {}],
  ['the first page is empty, and carries a token', { faults: ['empty'] }],
  ['so is a later one', { faults: [null, 'empty', 'empty'] }],
  ['the first pages overlap', { faults: ['overlap', 'overlap'] }],
  ['later pages overlap', { faults: [null, 'overlap', null, 'overlap'] }],
  ['a page comes twice', { faults: [null, 'duplicate'] }],
  ['two pages stand in the place of each other', { faults: ['reorder'] }],
  ['later ones do', { faults: [null, 'reorder'] }],
  ['pages are short and carry a token', { faults: ['short', null, 'short'] }],
  ['a token is refused in the middle', { faults: [null, null, 'expired'] }],
  ['the source is down at first', { down: 0 }],
  ['the source is down in the middle', { down: 2 }],
  ['the source does not heed where to begin', { bounds: ['from'] }],
  ['the source does not heed where to end', { bounds: ['to'] }],
];

/** A source that does these things. */
function sourceOf({ faults = [], down, bounds = [] }: (typeof situations)[number][1]): ListSource {
  const source = createListSource(5, faults);
  source.hold(held);
  let asked = 0;
  const answer: ListSource['answer'] = (request) => {
    if (asked++ === down) throw new FirnError('unavailable', 'no answer');
    const query = 'query' in request ? request.query : {};
    const heeded = Object.entries(query ?? {}).filter(([name]) => !bounds.includes(name));
    return source.answer(ask(Object.fromEntries(heeded) as Record<string, string>));
  };
  return { ...source, answer };
}

describe.each(ways)('%s', (_, way, { below, goesOn }) => {
  const idsBelow = (height: number) =>
    held.filter(({ cursor }) => cursor >= first && cursor < height).map(({ id }) => id);
  test.each(situations)(
    'loses no row, and takes none that lies outside, where %s, whenever it is killed',
    (_, situation) => {
      const { down, ...calm } = situation;
      let isDone = false;
      // Killed behind every step; at last it comes to its end.
      for (let steps = 0; !isDone; steps++) {
        const store = createStore();
        const stored = () => [...store.rows.keys()].sort((a, b) => Number(a) - Number(b));
        const pagesTo = (height: number) => (window: Window) => way(window, height);
        try {
          isDone = drive(pagesTo(below), sourceOf(situation), store, { steps });
        } catch (error) {
          expect([down !== undefined, (error as Error).message]).toEqual([true, 'no answer']);
          isDone = true;
        }
        // The next run: the source remembers no tokens, and nothing goes wrong but that it heeds no bounds.
        expect(drive(pagesTo(below), sourceOf({ ...calm, faults: [] }), store)).toBe(true);
        expect(stored()).toEqual(idsBelow(below));
        if (!goesOn) continue;
        // More is wanted than before: of what lies behind nothing counts as read.
        expect(drive(pagesTo(newest + 1), sourceOf({}), store)).toBe(true);
        expect(stored()).toEqual(idsBelow(newest + 1));
      }
    },
  );

  test('loses no row behind a record that cannot be read, whatever number it bears', () => {
    for (const wrong of [0, 1, 2]) {
      const store = createStore();
      const source = sourceOf({});
      let asked = 0;
      const answer: ListSource['answer'] = (request) => {
        const { body, ...rest } = source.answer(request);
        const { items, ...page } = body as { items: readonly object[] };
        const bad = { id: 'bad', cursor: 10 ** 9, owner: {}, time: 10 ** 10 };
        return { ...rest, body: { ...page, items: asked++ === wrong ? [bad, ...items] : items } };
      };
      expect(drive((window) => way(window, below), { ...source, answer }, store)).toBe(true);
      const grown = sourceOf({});
      grown.hold([...held, { id: `${newest + 1}`, cursor: newest + 1, owner: 'a' }]);
      expect(drive((window) => way(window, newest + 2), grown, store)).toBe(true);
      const wanted = goesOn || below > newest ? [...idsBelow(newest + 1), `${newest + 1}`] : idsBelow(below);
      expect([...store.rows.keys()].sort((a, b) => Number(a) - Number(b))).toEqual(wanted);
    }
  });

  test('takes no row that lies outside where none that is wanted could be read', () => {
    const store = createStore();
    const source = sourceOf({});
    const answer: ListSource['answer'] = (request) => {
      const { body, ...rest } = source.answer(request);
      const { items, ...page } = body as { items: readonly Item[] };
      const unread = items.map((item) => (item.cursor < first ? item : { ...item, owner: {} }));
      return { ...rest, body: { ...page, items: unread } };
    };
    drive((window) => way(window, below), { ...source, answer }, store);
    drive((window) => way(window, below), sourceOf({}), store);
    expect([...store.rows.keys()].filter((id) => Number(id) < first)).toEqual([]);
  });
});
