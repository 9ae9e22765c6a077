import { expect, test } from 'vitest';
import { bucketMoment } from '../../../../src/report/browser/details/bucketMoment.ts';

test.each([
  ['2026-02-07T13:00', Date.UTC(2026, 1, 7, 13)],
  ['2026-02-07', Date.UTC(2026, 1, 7)],
  ['2026-02-06T18:30', Date.UTC(2026, 1, 6, 18, 30)],
  ['2026-02', Date.UTC(2026, 1)],
])('%s is a bucket', (name, moment) => {
  expect(bucketMoment(name)).toBe(moment);
});

test.each(['2026-2-7', '7', 'day 1', '2026-02-31T25:00', '2026-02-07T13:00Z', ''])('%j is no bucket', (name) => {
  expect(bucketMoment(name)).toBe(null);
});
