import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/extract/limits/retryAfter.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 7);

test.each<[string | undefined, string | undefined, number | undefined]>([
  ['120', undefined, 120_000],
  [' 0 ', undefined, 0],
  ['1.5', undefined, 1_500],
  ['Sun, 06 Nov 1994 08:49:37 GMT', undefined, 30_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', undefined, 30_000],
  ['Sun Nov  6 08:49:37 1994', undefined, 30_000],
  ['1994-11-06T08:49:37Z', undefined, 30_000],
  ['1994-11-06T09:49:37.5+01:00', 'Sun, 06 Nov 1994 08:49:35 GMT', 2_500],
  ['1994-11-06', undefined, undefined],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:35 GMT', 2_000],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 'nonsense', 30_000],
  ['Sun, 06 Nov 1994 08:00:00 GMT', undefined, 0],
  [undefined, undefined, undefined],
  ['', undefined, undefined],
  ['-5', undefined, undefined],
  ['soon', undefined, undefined],
  ['Sun, 99 Nov 1994 08:49:37 GMT', undefined, undefined],
])('%j beside the date %j', (value, date, expected) => {
  expect(retryAfterMs(value, date, now)).toBe(expected);
});
