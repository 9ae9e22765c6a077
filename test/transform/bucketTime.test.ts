import { describe, expect, test } from 'vitest';
import { bucketSpan, byMonth, isTouched, joinStretches } from '../../src/transform/bucketStretches.ts';
import { bucketEnd, bucketStart, type Interval, secondsOf, timestampOf } from '../../src/transform/bucketTime.ts';
import { mergeHours } from '../../src/transform/mergeHours.ts';

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
  const hour = (at: number, first: number | null, last: number | null, weight = 1, place = first ?? 0) => ({
    hour: at,
    place: BigInt(place),
    first: first === null ? null : BigInt(first),
    last: last === null ? null : BigInt(last),
    weight,
  });
  const text = (at: number) => new Date(at * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const range = (from: number, until: number, first: number, last: number) => ({
    from: text(from),
    until: text(until),
    first: BigInt(first),
    last: BigInt(last),
  });

  test('joins neighbours and bridges a few hours', () => {
    expect(mergeHours([hour(10, 1, 5), hour(11, 6, 9), hour(15, 30, 31)], 100)).toEqual([range(10, 16, 1, 31)]);
    expect(mergeHours([hour(10, 1, 5), hour(30, 60, 61)], 100)).toEqual([range(10, 11, 1, 5), range(30, 31, 60, 61)]);
  });

  test('bridges any time but years to genesis where the chain has no block in between, whatever the heights', () => {
    const [before, after] = [hour(10, 1, 5, 1, 7), hour(300, 60, 60, 1, 8)];
    expect(mergeHours([before, after], 100)).toEqual([range(10, 301, 1, 60)]);
    expect(mergeHours([before, hour(11, null, null, 1, 7), after], 100)).toEqual([range(10, 301, 1, 60)]);
    expect(mergeHours([before, hour(300, 60, 60, 1, 9)], 100)).toHaveLength(2);
    // Each day of a month without a block has its zero.
    expect(mergeHours([before, hour(9000, 60, 60, 1, 8)], 100)).toEqual([range(10, 9001, 1, 60)]);
    // Where blocks stood before and none does now.
    const gone = (at: number, place: number) => hour(at, null, null, 1, place);
    expect(mergeHours([gone(5, 7), gone(10, 7), gone(200, 7), after], 100)).toEqual([range(5, 301, 60, 60)]);
    expect(mergeHours([gone(10, 6), after], 100)).toEqual([range(10, 11, 1, 0), range(300, 301, 60, 60)]);
    expect(mergeHours([gone(10, 7), gone(200, 8)], 100)).toEqual([range(10, 11, 1, 0), range(200, 201, 1, 0)]);
    expect(mergeHours([hour(0, 0, 0, 1, 1), hour(40_000, 1, 1, 1, 2), hour(40_500, 2, 2, 1, 3)], 100)).toEqual([
      range(0, 1, 0, 0),
      range(40_000, 40_501, 1, 2),
    ]);
  });

  test('never bridges to an hour without a block: the blocks in between would be lost', () => {
    const gone = (at: number, place: number) => hour(at, null, null, 1, place);
    expect(mergeHours([hour(10, 1, 5), gone(13, 3)], 100)).toEqual([range(10, 11, 1, 5), range(13, 14, 1, 0)]);
    expect(mergeHours([gone(10, 1), hour(13, 9, 9)], 100)).toEqual([range(10, 11, 1, 0), range(13, 14, 9, 9)]);
    expect(mergeHours([hour(10, 1, 5), gone(11, 1), hour(13, 9, 9)], 100)).toEqual([range(10, 14, 1, 9)]);
  });

  test('bounds the work of a range', () => {
    expect(mergeHours([hour(1, 1, 1, 60), hour(2, 2, 2, 60)], 100)).toEqual([range(1, 2, 1, 1), range(2, 3, 2, 2)]);
    // What is empty in between belongs to the second one.
    expect(mergeHours([hour(1, 1, 1, 60), hour(900, 2, 2, 60)], 100)).toEqual([range(1, 2, 1, 1), range(2, 901, 2, 2)]);
    expect(mergeHours([hour(1, 1, 1, 60), hour(4, 5, 5, 60)], 100)).toEqual([range(1, 2, 1, 1), range(4, 5, 5, 5)]);
  });
});
