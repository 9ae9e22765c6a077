import { expect, test } from 'vitest';
import {
  bucketSpan,
  byMonth,
  isTouched,
  joinStretches,
  widestSpan,
} from '../../../src/transform/changes/bucketStretches.ts';

const day = 86_400;
const at = (from: number, until: number, chain = 'a') => ({ chain, from: from * day, until: until * day });

test('stretches join where they are near, up to the end of the month in which one of them ends', () => {
  expect(joinStretches([at(20, 21), at(0, 1), at(5, 6), at(6, 7, 'b')])).toEqual([at(0, 6), at(20, 21), at(6, 7, 'b')]);
  expect(joinStretches([at(5, 20), at(20, 31)])).toEqual([at(5, 31)]);
  expect(joinStretches([at(5, 20), at(20, 40), at(40, 70)])).toEqual([at(5, 31), at(31, 59), at(59, 70)]);
  expect(joinStretches([at(5, 31), at(31, 59), at(6, 7), at(60, 61)])).toEqual([at(5, 31), at(31, 59), at(60, 61)]);
});

test('stretches stay whole where nothing else touches them', () => {
  expect(joinStretches([at(5, 1000), at(40, 41)])).toEqual([at(5, 1000)]);
  expect(joinStretches([at(5, 100), at(100, 300)])).toEqual([at(5, 120), at(120, 300)]);
});

test('stretches are cut by month where nobody knows how much work they are', () => {
  expect(byMonth(at(5, 100))).toEqual([at(5, 31), at(31, 59), at(59, 90), at(90, 100)]);
  expect(byMonth(at(31, 59))).toEqual([at(31, 59)]);
});

test('stretches touch whole buckets', () => {
  expect(bucketSpan('month', at(40, 41))).toEqual({ from: 31 * day, until: 59 * day });
  expect(widestSpan(at(40, 41))).toEqual({ from: 31 * day, until: 59 * day });
  expect(isTouched([at(40, 41)], 'a', 'month', 31 * day)).toBe(true);
  expect(isTouched([at(40, 41)], 'a', 'day', 41 * day)).toBe(false);
  expect(isTouched([at(40, 41)], 'b', 'day', 40 * day)).toBe(false);
});
