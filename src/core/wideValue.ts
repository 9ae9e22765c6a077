import { type ColumnType, integerRanges, type Value } from './columnType.ts';

const [least, greatest] = integerRanges.decimal38;

/** A value in two columns: the decimal, or its text where the decimal cannot hold every digit. */
export interface WideValue {
  readonly held: Value;
  readonly text: string | null;
}

/**
 * Splits a value between a decimal column of 38 digits and the text column beside it.
 *
 * @param value whole numbers for `decimal38`, decimal text for `decimal18`, or null
 */
export function wideValue(type: ColumnType, value: Value): WideValue {
  if (value === null || typeof value === 'number') return { held: value, text: null };
  const held = type === 'decimal18' ? scaled(String(value)) : (value as bigint);
  return held !== null && held >= least && held <= greatest
    ? { held, text: null }
    : { held: null, text: String(value) };
}

/** Decimal text as a count of 10^-18; null where it has more places than that, or reaches far beyond 38 digits. */
function scaled(text: string): bigint | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0n;
  const places = digits.length - significant.length + Number(exponent) - fraction.length + 18;
  if (places < 0 || places > 38) return null;
  return BigInt(sign + significant) * 10n ** BigInt(places);
}
