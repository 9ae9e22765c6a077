import { expect, test } from 'vitest';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { isLinkBroken, missingPositions } from '../../../src/core/paging/rangeGaps.ts';
import type { RangeStream } from '../../../src/core/stream/stream.ts';

const linked = { position: 'at', link: { id: 'id', parent: 'parent' } } as RangeStream;
const row = (at: number, id: string, parent: string | null) => ({ at, id, parent });

test.each([
  ['names the one before', row(1, 'a', 'z'), row(2, 'b', 'a'), false],
  ['names another', row(1, 'a', 'z'), row(2, 'b', 'x'), true],
  ['was not decoded', row(1, 'a', 'z'), row(2, 'b', null), false],
  ['follows one that was not, whose id nothing proves', row(1, 'a', null), row(2, 'b', 'x'), false],
  ['does not adjoin', row(1, 'a', 'z'), row(3, 'c', 'b'), false],
  ['stands where another one does', row(3, 'c', 'b'), row(1, 'd', 'c'), true],
])('a row that %s', (_, before, now, broken) => {
  expect(isLinkBroken(linked, before, now)).toBe(broken);
  expect(isLinkBroken({ position: 'at' } as RangeStream, before, now)).toBe(false);
});

test.each([
  [[3, 4, 5, 6], []],
  [
    [4, 6],
    [
      [3, 3],
      [5, 5],
    ],
  ],
  [[3], [[4, 6]]],
  [[3, 4, 5], [[6, 6]]],
  [[3, 4, 5, 9], [[6, 6]]],
  [
    [3, 5, 4, 6],
    [
      [4, 4],
      [6, 6],
    ],
  ],
  [[3, 4, 7], [[5, 6]]],
  [[], [[3, 6]]],
])('of 3..6, %j leave out %j', (positions, gaps) => {
  const records = positions.map((at) => RawValue.from({ at }));
  expect(missingPositions(linked, { from: 3, to: 6 }, records).map(({ from, to }) => [from, to])).toEqual(gaps);
});
