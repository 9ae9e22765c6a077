import { expect, test } from 'vitest';
import { mergeHours } from '../../../src/transform/changes/mergeHours.ts';

/** An hour with its heights, none where no block is left in it. */
const hour = (at: number, first: number | null = null, last = first, work = first === null ? 0 : 1) => ({
  at,
  first,
  last,
  work,
});
/** Work of hours that are not listed. */
const unlisted = (work: number) => ({ at: null, work });
const merged = (...listed: (ReturnType<typeof hour> | ReturnType<typeof unlisted>)[]) => {
  let sum = 0;
  const hours = listed.flatMap(({ work, ...one }) => {
    sum += work;
    if (one.at === null) return [];
    const [first, last] = [one.first, one.last].map((height) => (height === null ? null : BigInt(height)));
    return { hour: one.at, first: first ?? null, last: last ?? null, work: BigInt(work), work_so_far: BigInt(sum) };
  });
  return mergeHours(hours, { atMost: 100n, bridged: 10n });
};
const text = (at: number) => new Date(at * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
const range = (from: number, until: number, first: number, last: number) => ({
  from: text(from),
  until: text(until),
  first: BigInt(first),
  last: BigInt(last),
});

test('joins neighbours and bridges what is little work, however long', () => {
  expect(merged(hour(10, 1, 5), hour(11, 6, 9), unlisted(10), hour(15, 30, 31))).toEqual([range(10, 16, 1, 31)]);
  expect(merged(hour(10, 1, 5), unlisted(1), hour(9000, 30, 31))).toEqual([range(10, 9001, 1, 31)]);
  expect(merged(hour(10, 1, 5), unlisted(11), hour(12, 60, 61))).toEqual([range(10, 11, 1, 5), range(12, 13, 60, 61)]);
});

test('bridges any time but years to genesis where the chain has no block in between, whatever the heights', () => {
  // Each day of a month without a block has its zero.
  expect(merged(hour(10, 1, 5), hour(9000, 60))).toEqual([range(10, 9001, 1, 60)]);
  expect(merged(hour(10, 1, 5), hour(11), hour(300, 60))).toEqual([range(10, 301, 1, 60)]);
  // Where blocks stood before and none does now.
  expect(merged(hour(5), hour(10), hour(200), hour(300, 60))).toEqual([range(5, 301, 60, 60)]);
  expect(merged(hour(10, 1), hour(200), hour(300))).toEqual([range(10, 301, 1, 1)]);
  const years = [range(0, 1, 0, 0), range(40_000, 40_501, 1, 2)];
  expect(merged(hour(0, 0), hour(40_000, 1), hour(40_500, 2))).toEqual(years);
  expect(merged(hour(0, 0), unlisted(1), hour(40_000, 1), hour(40_500, 2))).toEqual(years);
  expect(merged(hour(0, 0), hour(700, 1))).toEqual([range(0, 701, 0, 1)]);
});

test('never bridges to an hour without a block: the blocks in between would be lost', () => {
  expect(merged(hour(10, 1, 5), unlisted(1), hour(12))).toEqual([range(10, 11, 1, 5), range(12, 13, 1, 0)]);
  expect(merged(hour(10), unlisted(1), hour(12, 9))).toEqual([range(10, 11, 1, 0), range(12, 13, 9, 9)]);
  expect(merged(hour(10), unlisted(1), hour(12))).toEqual([range(10, 11, 1, 0), range(12, 13, 1, 0)]);
  expect(merged(hour(10, 1, 5), hour(11), unlisted(1), hour(13, 9))).toEqual([range(10, 14, 1, 9)]);
});

test('bounds the work of a range', () => {
  expect(merged(hour(1, 1, 1, 60), hour(2, 2, 2, 60))).toEqual([range(1, 2, 1, 1), range(2, 3, 2, 2)]);
  // What is empty in between belongs to the second one.
  expect(merged(hour(1, 1, 1, 60), hour(900, 2, 2, 60))).toEqual([range(1, 2, 1, 1), range(2, 901, 2, 2)]);
  expect(merged(hour(1, 1, 1, 60), unlisted(5), hour(4, 5, 5, 40))).toEqual([range(1, 2, 1, 1), range(4, 5, 5, 5)]);
  expect(merged(hour(1, 1, 1, 60), unlisted(5), hour(4, 5, 5, 35))).toEqual([range(1, 5, 1, 5)]);
  // What was bridged counts on.
  expect(merged(hour(1, 1, 1, 60), unlisted(10), hour(3, 5, 5, 20), hour(4, 6, 6, 15))).toEqual([
    range(1, 4, 1, 5),
    range(4, 5, 6, 6),
  ]);
});
