import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestDouble } from '../../src/services/metrics/ratio.ts';

/** Exact distance between num/den and a double, scaled by den and the double's own denominator. */
function distance(num: bigint, den: bigint, double: number): bigint {
  let scale = 1n;
  let scaled = double;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    scale *= 2n;
  }
  const difference = num * scale - BigInt(scaled) * den;
  return (difference < 0n ? -difference : difference) * (2n ** 200n / scale);
}

test('is at least as near as its neighbours', () => {
  const big = fc.bigInt({ min: 1n, max: 2n ** 100n });
  fc.assert(
    fc.property(big, fc.bigInt({ min: 1n, max: 2n ** 70n }), (num, den) => {
      const double = nearestDouble({ num, den });
      const step = 2 ** (Math.floor(Math.log2(double)) - 52);
      const own = distance(num, den, double);
      expect(own <= distance(num, den, double + step)).toBe(true);
      expect(own <= distance(num, den, double - step)).toBe(true);
    }),
  );
});

test.each([
  [0n, 7n, 0],
  [1n, 3n, 1 / 3],
  [2n ** 53n + 1n, 1n, 2 ** 53],
  [2n ** 53n + 3n, 1n, 2 ** 53 + 4],
  [169_288_983_645_217_475n, 1n, Number('169288983645217475')],
])('%s / %s', (num, den, double) => {
  expect(nearestDouble({ num, den })).toBe(double);
});
