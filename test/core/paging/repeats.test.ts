import { expect, test } from 'vitest';
import { createRepeats } from '../../../src/core/paging/repeats.ts';

// Rows as height and name: `7a`. Newest first, as the pages of a list.
test.each<[string, string[][], number[]]>([
  [
    'pages that adjoin',
    [
      ['9a', '8a'],
      ['7a', '6a'],
    ],
    [],
  ],
  [
    'a block on two pages whose rows differ',
    [
      ['9a', '8a'],
      ['8b', '7a'],
    ],
    [],
  ],
  [
    'a block on two pages with rows that are alike',
    [
      ['9a', '8a'],
      ['8a', '7a'],
    ],
    [8],
  ],
  ['the same on pages that came in another order', [['8a', '7a'], ['5a'], ['9a', '8a']], [8]],
  [
    'an overlapping page that repeats single rows of the middle',
    [
      ['9a', '8a', '7a', '6a'],
      ['8a', '7a', '5a'],
    ],
    [],
  ],
  [
    'one that repeats fewer of those that are alike',
    [
      ['9a', '8a', '8a', '7a'],
      ['8a', '7b', '6a'],
    ],
    [8],
  ],
  [
    'records alike that say no height',
    [
      ['9a', '-', '-'],
      ['-', '-', '8a'],
    ],
    [],
  ],
  [
    'one that repeats more of them',
    [
      ['9a', '8a'],
      ['8a', '8a', '7a'],
    ],
    [8],
  ],
])('of %s', (_, pages, heights) => {
  const repeats = createRepeats();
  for (const page of pages) repeats.page(Float64Array.from(page, Number.parseFloat), page);
  expect([...repeats.heights]).toEqual(heights);
});

test('a list that begins again repeats itself', () => {
  const repeats = createRepeats();
  repeats.page(Float64Array.of(7), ['a']);
  repeats.restart();
  repeats.page(Float64Array.of(7), ['a']);
  expect(repeats.heights.size).toBe(0);
});
