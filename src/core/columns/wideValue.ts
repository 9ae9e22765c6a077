import { type ColumnType, integerRanges, type Value } from './columnType.ts';
import { scaled } from './scaled.ts';

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
  const held = type === 'decimal18' ? scaled(String(value), 18) : (value as bigint);
  return held !== null && held >= least && held <= greatest
    ? { held, text: null }
    : { held: null, text: String(value) };
}
