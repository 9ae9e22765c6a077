import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { readHeightSlices } from '../../../src/core/paging/readHeightSlices.ts';
import type { Pages, Window } from '../../../src/core/stream/stream.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';
import { span } from '../../span.ts';
import { createDisturbedList, wrongPages } from './disturbedList.ts';
import { createStore, drive, type Store } from './driver.ts';
import { createListSource, type Faults, type Item, itemsOf } from './listSource.ts';
import { upTo } from './upTo.ts';

const reader = (options: { to?: number; items?: readonly string[]; pageSize?: number; largestPage?: number } = {}) =>
  function* pagesOf(window: Window): Pages {
    yield* readHeightSlices({
      from: Number(window.position?.['next'] ?? 0),
      holds: window.position !== null,
      to: options.to ?? null,
      pageSize: options.pageSize ?? 10,
      ...(options.largestPage !== undefined && { largestPage: options.largestPage }),
      request: ({ from, to }, token, size) => ({
        kind: 'get',
        path: '/list',
        query: { from, to: to ?? undefined, token, size },
        weight: 1,
      }),
      height: 'cursor',
      items: options.items,
      width: window.position?.['width'] as number | undefined,
      position: (next, width) => ({ next, ...(width !== undefined && { width }) }),
    });
  };

/** Rows without a key: alike where their group and height are. */
const items = ['cursor', 'group'];
const itemOf = ({ cursor, group }: Item) => `${cursor} ${group}`;
const held = (store: Store) => [...store.rows.values()].map(itemOf).sort();

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

  test.each<[string, Faults]>([
    ['', []],
    [' behind an empty page', ['empty']],
  ])('reads a longer history%s oldest slice first, and goes on at the slice that a kill interrupted', (_, faults) => {
    const source = createListSource(10, faults);
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

  /** Of a source that heeds neither heights nor sizes. */
  const unheeded = (pageSize: number, time?: number) =>
    function* (): Pages {
      yield* readHeightSlices({
        from: 30,
        to: 60,
        pageSize,
        request: (_, token) => ({ kind: 'get', path: '/list', query: { token }, weight: 1 }),
        height: 'cursor',
        items,
        leaveOut: (page) => page.within('time', undefined, time),
        position: (next) => ({ next }),
      });
    };

  test.each([
    [100, undefined, 60],
    [100, 550, 55],
    [10, undefined, 60],
    [10, 550, 55],
  ])(
    'leaves out, in pages of %i, what a source gives below, above or from time %s on, and does not count it as read',
    (size, time, end) => {
      const source = createListSource(size);
      const store = createStore();
      // Two of them are alike, and stand on two pages.
      source.hold([...upTo(95), { id: 'alike', cursor: 46 }].map((row) => ({ ...row, group: 'g' })));
      drive(unheeded(size, time), source, store, { keyOf: itemOf });
      expect(held(store)).toEqual([...span(30, end), 46].map((cursor) => `${cursor} g`).sort());
      expect(store.position).toEqual({ next: 59 });
    },
  );

  test('takes as many rows of one block that are alike as a list holds, on however many pages', () => {
    const source = createListSource(10);
    const store = createStore();
    const alike = Array.from({ length: 60 }, () => ({ id: 'alike', cursor: 20, group: 'g' }));
    source.hold([...upTo(40), ...alike]);
    drive(reader({ items }), source, store, { keyOf: itemOf });
    expect(store.rows.size).toBe(100);
  });

  // Five rows a block, as many pages as blocks; then one row in a thousand blocks.
  const early = Array.from({ length: 4000 }, (_, i) => ({ id: `${i}`, cursor: 1 + Math.floor(i / 5) }));
  const late = Array.from({ length: 50 }, (_, i) => ({ id: `late ${i}`, cursor: 1000 * (i + 1) }));
  test.each([
    ['as dense everywhere', upTo(5000), 60],
    ['denser at first', [...early, ...late], 110],
    ['nothing but one block at first', [...early.map((row) => ({ ...row, cursor: 1 })), ...late], 810],
  ])('runs of few steps come to the end of a list that is %s', { tags: 'long' }, (_, rows, steps) => {
    const source = createListSource(5);
    const store = createStore();
    source.hold(rows);
    for (let runs = 1; !drive(reader({ pageSize: 5 }), source, store, { steps }); runs++) expect(runs).toBeLessThan(50);
    expect(store.rows.size).toBe(rows.length);
  });

  test.each<[string, Faults]>([
    ['nothing', []],
    ['an empty page with a token, and nothing', ['empty']],
  ])('says so where the list shows %s from the checkpoint on', (_, faults) => {
    const store = createStore();
    store.position = { next: 30 };
    const source = createListSource(10, faults);
    source.hold(upTo(29));
    expect(() => drive(reader(), source, store)).toThrow('/list ends below cursor 30, up to which it was read before');
    source.hold(upTo(30));
    drive(reader(), source, store);
    expect([...store.rows.keys()]).toEqual(['30']);
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

  test('counts rows that are alike also where the end of a page cuts them', () => {
    const source = createListSource(4);
    const store = createStore();
    // Newest first: 9 rows of height 7, cut after the fourth and the eighth.
    const rows: Item[] = [
      ...['a', 'a', 'a', 'b', 'b', 'b', 'b', 'b', 'c'].map((group, i) => ({ id: `x${i}`, cursor: 7, group })),
      { id: 'old', cursor: 1, group: 'c' },
    ];
    source.hold(rows);
    drive(reader({ items, pageSize: 4 }), source, store, { keyOf: itemOf });
    expect(held(store)).toEqual(rows.map(itemOf).sort());
  });

  test.each([
    [1, 'aaabbb'],
    [2, 'aab'],
    [3, 'aaaaaa'],
    [2, 'a'.repeat(40)],
    [4, 'ab'.repeat(20)],
  ])('tells pages of %i rows that are alike from a page that comes twice: %s', (pageSize, groups) => {
    const rows: Item[] = [
      ...Array.from(groups, (group, i) => ({ id: `x${i}`, cursor: 7, group })),
      { id: 'old', cursor: 1, group: 'c' },
    ];
    for (const twice of [0, 2]) {
      const source = createListSource(pageSize, Array<'duplicate'>(twice).fill('duplicate'));
      const store = createStore();
      source.hold(rows);
      drive(reader({ items, pageSize }), source, store, { keyOf: itemOf });
      expect(held(store)).toEqual(rows.map(itemOf).sort());
    }
  });

  test.each([
    [1, 'aaa'],
    [1, 'aba'],
    [2, 'aaaab'],
  ])('counts rows that are alike, pages of %i of %s, wherever a token is refused in between', (pageSize, groups) => {
    const rows: Item[] = [
      ...Array.from(groups, (group, i) => ({ id: `x${i}`, cursor: 7, group })),
      { id: 'old', cursor: 1, group: 'c' },
    ];
    for (let refused = 0; refused < 20; refused++) {
      const source = createListSource(pageSize);
      const store = createStore();
      source.hold(rows);
      const answer = source.answer.bind(source);
      let tokens = 0;
      source.answer = (request) => {
        const isTold = request.kind === 'get' && request.query?.['token'] !== undefined;
        if (isTold && tokens++ === refused) throw new FirnError('refused', 'the page token has expired');
        return answer(request);
      };
      drive(reader({ items, pageSize }), source, store, { keyOf: itemOf });
      expect(held(store), `token ${refused}`).toEqual(rows.map(itemOf).sort());
    }
  });

  test('a block is read alone by the largest pages, where all of it fits one', () => {
    const rows: Item[] = Array.from('aabbbab', (group, i) => ({ id: `x${i}`, cursor: 7, group }));
    const source = createListSource(2);
    const store = createStore();
    source.hold(rows);
    const alone: unknown[] = [];
    const answer = source.answer.bind(source);
    source.answer = (request) => {
      const { to, size, token } = request.kind === 'get' ? (request.query ?? {}) : {};
      if (to !== undefined && size !== 2) alone.push([size, token]);
      return answer(request);
    };
    drive(reader({ items, pageSize: 2, largestPage: 50 }), source, store, { keyOf: itemOf });
    expect(held(store)).toEqual(rows.map(itemOf).sort());
    expect(alone).toEqual([
      [50, undefined],
      [49, undefined],
    ]);
  });

  test('gives the same rows in whatever order they come', () => {
    const store = createStore();
    const rows = Array.from({ length: 12 }, (_, i) => ({ id: `x${i}`, cursor: 7 + (i % 2), group: `g${i % 5}` }));
    fc.assert(
      fc.property(
        fc.shuffledSubarray(rows, { minLength: rows.length }),
        fc.integer({ min: 3, max: 12 }),
        (shuffled, size) => {
          const source = createListSource(size);
          source.hold(shuffled);
          // Into the same store again and again: another order must neither add a row nor lose one.
          drive(reader({ items, pageSize: size }), source, store, { keyOf: itemOf });
          expect(held(store)).toEqual(rows.map(itemOf).sort());
        },
      ),
    );
  });

  test('asks for no block twice where all rows differ', () => {
    const source = createListSource(4);
    const store = createStore();
    store.position = { next: 7 };
    source.hold(Array.from({ length: 9 }, (_, i) => ({ id: `x${i}`, cursor: 7, group: `g${i}` })));
    drive(reader({ items, pageSize: 4 }), source, store, { keyOf: itemOf });
    expect(store.rows.size).toBe(9);
    expect(source.requests()).toBe(4);
  });

  // One letter a read of the block alone: what it is told in place of its rows; `=` for what they are.
  test.each([
    ['==', true],
    ['=1==', true],
    ['12===', true],
    ['=1=12=', true],
    ['=1=123', false],
    ['123456', false],
  ])('the reads %s of a block with rows that are alike settle what is in it: %s', (told, settle) => {
    const source = createListSource(4);
    const store = createStore();
    const rows: Item[] = Array.from('aabbb', (group, i) => ({ id: `x${i}`, cursor: 7, group }));
    source.hold(rows);
    const answer = source.answer.bind(source);
    let reads = 0;
    source.answer = (request) => {
      const response = answer(request);
      const isAlone = request.kind === 'get' && request.query?.['size'] !== 4;
      const group = isAlone ? told[reads++] : '=';
      if (group === '=') return response;
      return { ...response, body: { items: itemsOf(response.body).map((item) => ({ ...item, group: `${group}` })) } };
    };
    const read = () => drive(reader({ items, pageSize: 4, largestPage: 50 }), source, store, { keyOf: itemOf });
    if (settle) {
      read();
      expect(held(store)).toEqual(rows.map(itemOf).sort());
    } else expect(read).toThrow(/Block 7 reads differently/);
    expect(reads).toBe(told.length);
  });

  test.each([2, 3, 5])('pages of %i at most that always overlap double no row of a block: it is refused', (most) => {
    const source = createListSource(most, Array<'overlap'>(500).fill('overlap'));
    const rows: Item[] = Array.from('aabcdefgh', (group, i) => ({ id: `x${i}`, cursor: 7, group }));
    source.hold([...rows, { id: 'old', cursor: 1, group: 'c' }]);
    const answer = source.answer.bind(source);
    source.answer = (request) => {
      if (request.kind !== 'get') return answer(request);
      const size = Math.min(most, Number(request.query?.['size']));
      return answer({ ...request, query: { ...request.query, size } });
    };
    const store = createStore();
    const read = () => drive(reader({ items, largestPage: 100 }), source, store, { keyOf: itemOf });
    expect(read).toThrow('Block 7 reads differently each time');
    expect(held(store)).not.toContain('7 b#1');
  });

  test.each([
    ['where single pages came short is asked for as one page again', 1, 3, [50, 49]],
    ['of a source that gives few rows at once is asked for by fewer, too', 9, 3, [50, 49, 2]],
    ['of a source that heeds no size is taken as it comes each time', 9, 0, [50, 49, 2]],
  ])('a block %s', (_, shortReads, most, sizes) => {
    const source = createListSource(4);
    const store = createStore();
    const rows: Item[] = Array.from('abcda', (group, i) => ({ id: `x${i}`, cursor: 7, group }));
    source.hold(rows);
    const asked: number[] = [];
    const answer = source.answer.bind(source);
    source.answer = (request) => {
      if (request.kind !== 'get') return answer(request);
      const size = Number(request.query?.['size']);
      if (size !== 4 && !request.query?.['token']) asked.push(size);
      const given = size === 4 || asked.length > shortReads ? size : most === 0 ? 3 : Math.min(size, most);
      return answer({ ...request, query: { ...request.query, size: given } });
    };
    drive(reader({ items, pageSize: 4, largestPage: 50 }), source, store, { keyOf: itemOf });
    expect(held(store)).toEqual(rows.map(itemOf).sort());
    expect(asked).toEqual(sizes);
  });

  test('loses and doubles no row to growth, kills and wrong pages, once an undisturbed run has followed', {
    tags: 'long',
  }, () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            blocks: fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }), { maxLength: 12 }),
            steps: fc.nat(30),
          }),
          { maxLength: 4 },
        ),
        wrongPages(80),
        (runs, faults) => {
          const list = createDisturbedList(faults, 6);
          let rows: Item[] = [];
          let height = 0;
          const pagesOf = reader({ items, pageSize: 6 });
          for (const { blocks, steps } of runs) {
            for (const groups of blocks) {
              height++;
              const added = groups.flatMap((size, g) =>
                Array.from({ length: size }, (_, i) => ({
                  id: `${height}.${g}.${i}`,
                  cursor: height,
                  // Of a transaction's rows the first two are alike, and differ from the others.
                  group: `${g}.${Math.max(1, i)}`,
                })),
              );
              rows = [...added, ...rows];
            }
            list.read(pagesOf, rows, { steps, keyOf: itemOf });
          }
          expect(held(list.finish(pagesOf, rows, { keyOf: itemOf }))).toEqual(rows.map(itemOf).sort());
        },
      ),
      { numRuns: fuzzRuns(200) },
    );
  });
});
