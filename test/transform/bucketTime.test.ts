import { describe, expect, test } from 'vitest';
import { bucketEnd, bucketStart, type Interval, secondsOf, timestampOf } from '../../src/transform/bucketTime.ts';
import { bucketSpan, byMonth, isTouched, joinStretches } from '../../src/transform/changes/bucketStretches.ts';
import { mergeHours } from '../../src/transform/changes/mergeHours.ts';

test.each<[Interval, string, string, string]>([
  ['hour', '2026-03-01 12:59:59', '2026-03-01 12:00:00', '2026-03-01 13:00:00'],
  ['day', '2026-03-01 00:00:00', '2026-03-01 00:00:00', '2026-03-02 00:00:00'],
  ['week', '2026-03-01 23:00:00', '2026-02-23 00:00:00', '2026-03-02 00:00:00'],
  ['week', '2026-03-02 00:00:00', '2026-03-02 00:00:00', '2026-03-09 00:00:00'],
  ['week', '1969-12-30 00:00:00', '1969-12-29 00:00:00', '1970-01-05 00:00:00'],
  ['month', '2026-02-28 23:59:59', '2026-02-01 00:00:00', '2026-03-01 00:00:00'],
  ['month', '2024-12-31 23:59:59', '2024-12-01 00:00:00', '2025-01-01 00:00:00'],
])('the %s that holds %s', (interval, moment, start, end) => {
  const from = bucketStart(interval, secondsOf(moment));
  expect(timestampOf(from)).toBe(start);
  expect(timestampOf(bucketEnd(interval, from))).toBe(end);
});

describe('stretches', () => {
  const day = 86_400;
  const at = (from: number, until: number, chain = 'a') => ({ chain, from: from * day, until: until * day });

  test('join where they are near, up to the end of the month in which one of them ends', () => {
    expect(joinStretches([at(20, 21), at(0, 1), at(5, 6), at(6, 7, 'b')])).toEqual([
      at(0, 6),
      at(20, 21),
      at(6, 7, 'b'),
    ]);
    expect(joinStretches([at(5, 20), at(20, 40), at(40, 70)])).toEqual([at(5, 31), at(31, 59), at(59, 70)]);
    expect(joinStretches([at(5, 31), at(31, 59), at(6, 7), at(60, 61)])).toEqual([at(5, 31), at(31, 59), at(60, 61)]);
  });

  test('stay whole where nothing else touches them', () => {
    expect(joinStretches([at(5, 1000), at(40, 41)])).toEqual([at(5, 1000)]);
    expect(joinStretches([at(5, 100), at(100, 300)])).toEqual([at(5, 120), at(120, 300)]);
  });

  test('are cut by month where nobody knows how much work they are', () => {
    expect(byMonth(at(5, 100))).toEqual([at(5, 31), at(31, 59), at(59, 90), at(90, 100)]);
    expect(byMonth(at(31, 59))).toEqual([at(31, 59)]);
  });

  test('touch whole buckets', () => {
    expect(bucketSpan('month', at(40, 41))).toEqual({ from: 31 * day, until: 59 * day });
    expect(isTouched([at(40, 41)], 'a', 'month', 31 * day)).toBe(true);
    expect(isTouched([at(40, 41)], 'a', 'day', 41 * day)).toBe(false);
    expect(isTouched([at(40, 41)], 'b', 'day', 40 * day)).toBe(false);
  });
});

describe('mergeHours', () => {
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
    expect(merged(hour(10, 1, 5), unlisted(11), hour(12, 60, 61))).toEqual([
      range(10, 11, 1, 5),
      range(12, 13, 60, 61),
    ]);
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
  });
});
