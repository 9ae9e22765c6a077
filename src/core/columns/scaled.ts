/** As many digits as 256 bits have: what has more fits no column, and would take long to be made a bigint. */
const mostDigits = 78;
/** Zeros behind them at most: one of 38 digits has no more, and a literal such as 1e999999999 is quickly written. */
const mostZeros = 38;

/** Decimal text, as JSON writes numbers, as an exact count of 10^-`places`; null where it is no such count, or beyond what columns hold. */
export function scaled(text: string, places: number): bigint | null {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text);
  if (!found) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0n;
  const zeros = digits.length - significant.length + Number(exponent) - fraction.length + places;
  if (zeros < 0 || zeros > mostZeros || significant.length > mostDigits) return null;
  return BigInt(sign + significant) * 10n ** BigInt(zeros);
}
