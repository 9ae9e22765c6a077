import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareRatios,
  decimalsOf,
  minus,
  nearestDouble,
  parseNumber,
  plus,
  ratioText,
} from '../../../src/transform/verdict/ratio.ts';

describe('nearestDouble', () => {
  test.each([
    ['11362384', '161806262', 0.07022215246527357],
    ['1374070657713', '99', 13879501593.060606],
    ['169288983645217475', '1', 169288983645217480],
    ['9007199254740993', '1', 9007199254740992],
    ['9007199254740995', '1', 9007199254740996],
    // Above the middle of two doubles, by what no bit of the quotient shows.
    [`9007199254740993${'0'.repeat(29)}1`, `1${'0'.repeat(30)}`, 9007199254740994],
    [`-9007199254740993${'0'.repeat(29)}1`, `1${'0'.repeat(30)}`, -9007199254740994],
    ['1', '3', 1 / 3],
    ['0', '7', 0],
    ['-10', '4', -2.5],
  ])('%s / %s', (num, den, value) => {
    expect(nearestDouble({ num: BigInt(num), den: BigInt(den) })).toBe(value);
  });

  test('is the division of two safe integers', () => {
    const safe = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(safe, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (num, den) => {
        expect(nearestDouble({ num: BigInt(num), den: BigInt(den) })).toBe(num / den);
      }),
    );
  });

  test('is what JavaScript reads from the digits of an integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), (num) => {
        expect(nearestDouble({ num, den: 1n })).toBe(Number(num.toString()) + 0);
      }),
    );
  });
});

describe('parseNumber', () => {
  test.each([
    ['717', '717', '1'],
    ['1.98', '198', '100'],
    ['6.118428222512179e-7', '6118428222512179', `1${'0'.repeat(22)}`],
    ['1.6928898364521747e+17', '169288983645217470', '1'],
    ['-0.5', '-5', '10'],
    ['.5', '5', '10'],
  ])('%s', (text, num, den) => {
    expect(parseNumber(text)).toEqual({ num: BigInt(num), den: BigInt(den) });
  });

  test.each(['', 'NaN', 'Infinity', '1,5', '0x10', '1e99999', 'null', '1 2'])('refuses %j', (text) => {
    expect(parseNumber(text)).toBeNull();
  });

  test('reads back every double as itself', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-290 }), (value) => {
        const parsed = parseNumber(String(value));
        expect(parsed && nearestDouble(parsed)).toBe(value);
      }),
    );
  });
});

test.each([
  ['1.98', 2],
  ['12', 0],
  ['1.2e3', 0],
  ['1.25e-6', 8],
  ['', 0],
])('%j shows %i decimals', (text, decimals) => {
  expect(decimalsOf(text)).toBe(decimals);
});

test('compares, subtracts and adds without rounding', () => {
  const a = { num: 10n ** 30n + 1n, den: 10n ** 30n };
  const one = { num: 7n, den: 7n };
  expect(compareRatios(a, one)).toBe(1);
  expect(compareRatios(one, a)).toBe(-1);
  expect(compareRatios(one, { num: 1n, den: 1n })).toBe(0);
  expect(ratioText(minus({ num: 3n, den: 1n }, { num: 10n, den: 2n }))).toBe('-2');
  const [half, more] = [
    { num: 1n, den: 2n },
    { num: 3n, den: 8n },
  ];
  expect([minus(half, more), plus(half, more)].map(ratioText)).toEqual(['0.125', '0.875']);
  expect(ratioText({ num: 1n, den: 8n })).toBe('0.125');
  expect(ratioText({ num: 3n * (2n ** 60n + 1n), den: 3n })).toBe('1152921504606846977');
});
