import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesText, groupDigits, plural, shortNumber } from '../../../src/report/texts/numberText.ts';
import { agoText, bucketText, spanText } from '../../../src/report/texts/timeText.ts';
import { anchor } from '../../../src/report/view.ts';

describe('numbers', () => {
  test.each([
    ['1234567', '1,234,567'],
    ['-1000', '-1,000'],
    ['123', '123'],
    ['1234.56789', '1,234.56789'],
    ['1e21', '1e21'],
    ['"oops"', '"oops"'],
    ['', ''],
  ])('%s is grouped as %s', (text, expected) => expect(groupDigits(text)).toBe(expected));

  test('grouping changes no digit of a whole number of any size', () => {
    fc.assert(fc.property(fc.bigInt(), (number) => groupDigits(String(number)).replaceAll(',', '') === String(number)));
  });

  test.each([
    [0, '0'],
    [12345, '12.3 k'],
    [999_999, '1000 k'],
    [2e15, '2 P'],
    [9.4e16, '94 P'],
    [6e20, '600 E'],
    [3.4e21, '3.4e21'],
    [0.02, '0.02'],
    [0.00000123, '1.2e-6'],
    [-1500, '-1.5 k'],
  ])('%d is %s on an axis', (number, expected) => expect(shortNumber(number)).toBe(expected));

  test.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_234_567, '1.23 MB'],
    [4e15, '4000 TB'],
  ])('%d is %s', (bytes, expected) => expect(bytesText(bytes)).toBe(expected));

  test('one is not many', () => {
    expect([plural(1, 'day'), plural(2000, 'day'), plural(0, 'series', 'series')]).toEqual([
      '1 day',
      '2,000 days',
      '0 series',
    ]);
  });
});

describe('times', () => {
  test.each([
    [800, '0.8 s'],
    [59_000, '59 s'],
    [60_000, '1 min'],
    [3_720_000, '1 h 2 min'],
    [86_400_000, '1 d'],
    [90_061_000, '1 d 1 h'],
  ])('%d ms is %s', (span, expected) => expect(spanText(span)).toBe(expected));

  test('what lies ahead is not told as past', () => {
    expect([60_000, -60_000].map(agoText)).toEqual(['1 min ago', '1 min from now: a clock was wrong']);
  });

  test.each([
    ['hour', 7, '2026-03-01 07:00'],
    ['day', 0, '2026-03-01'],
    ['week', 0, '2026-03-01'],
    ['month', 0, '2026-03'],
    ['day', 18.5, '2026-03-01 18:30'],
    ['month', 18.25, '2026-03-01 18:15'],
  ])('a bucket by %s that begins at %d is shown as %s', (interval, hour, expected) => {
    expect(bucketText(Date.UTC(2026, 2, 1, 0, hour * 60), interval)).toBe(expected);
  });
});

test('anchors hold no space or quote, and other names give other anchors', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(anchor('x', a)).toMatch(/^[a-zA-Z0-9_-]+$/);
      if (a !== b) expect(anchor('x', a)).not.toBe(anchor('x', b));
    }),
  );
});
