import { absolute, compareRatios, minus, nearestDouble, type Ratio } from './ratio.ts';
import type { Point } from './series.ts';

export type Agreement = 'equal' | 'equal_as_double' | 'equal_rounded';

const exactDoubles = 2n ** 53n;

/**
 * Whether a served number equals ours: to the digit; as the double that a JSON number becomes; or rounded to the decimals that its
 * series shows, provided a significant digit is left: 0 is not 0.139 rounded. A quotient equals the double nearest to it. Two
 * numbers that do not exist are equal.
 *
 * @param decimals decimals seen in the served series
 */
export function compareValues(own: Ratio | null, served: Ratio | null, decimals: number): Agreement | null {
  if (own === null || served === null) return own === served ? 'equal' : null;
  if (compareRatios(own, served) === 0) return 'equal';
  if (nearestDouble(own) === nearestDouble(served)) {
    const { num, den } = absolute(own);
    return num >= exactDoubles * den ? 'equal_as_double' : 'equal';
  }
  return own.den !== 1n && served.num !== 0n && mayRound(own, served, decimals) ? 'equal_rounded' : null;
}

/** Whether a number may be another one, rounded to some decimals. */
export const mayRound = (own: Ratio, served: Ratio, decimals: number): boolean =>
  compareRatios(absolute(minus(own, served)), { num: 1n, den: 2n * 10n ** BigInt(decimals) }) <= 0;

/** How what was served for a bucket agrees with a value: our own, where no other is named. Text that is not a number agrees with nothing. */
export const agreement = (
  { own, served }: Pick<Point, 'own' | 'served'>,
  decimals: number,
  value: Ratio | null = own?.value ?? null,
): Agreement | null =>
  served && served.text !== null && served.value === null
    ? null
    : compareValues(value, served?.value ?? null, decimals);
