import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differenceTexts } from '../../../src/report/texts/differenceTexts.ts';

test.each([
  ['95', '96', 1, '+1', '+1.05\u00a0%'],
  ['1000', '900', 1, '-100', '-10\u00a0%'],
  ['7', '7', 1, '0', '0\u00a0%'],
  ['0', '3', 1, '+3', null],
  ['25000000000', '25', 1e9, '0', '0\u00a0%'],
  ['123456789012345678901234567890', '123456789012345678901234567891', 1, '+1', '+8.1e-28\u00a0%'],
  ['0.25', '0.2', 1, '-0.05', '-20\u00a0%'],
])('own %s, served %s × %d: %s, %s', (own, served, scale, amount, share) => {
  expect(differenceTexts(own, served, scale)).toEqual({ amount, share });
});

test('whole numbers are subtracted exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 0n, max: 10n ** 30n }), (own, served) => {
      const { amount } = differenceTexts(String(own), String(served), 1);
      expect(BigInt(amount.replace(/[,+]/g, ''))).toBe(served - own);
    }),
  );
});
