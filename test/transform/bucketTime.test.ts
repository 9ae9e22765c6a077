import { expect, test } from 'vitest';
import { bucketEnd, bucketStart, type Interval, secondsOf, timestampOf } from '../../src/transform/bucketTime.ts';

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
