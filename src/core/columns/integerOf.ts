import { Verbatim } from '../json/verbatim.ts';
import { invalid, type Parse } from './columnSchema.ts';
import { scaled } from './scaled.ts';

/** number when safe, else bigint. */
export type Integer = number | bigint;

/** 256 bits have 78 digits; a million digits would take seconds to read. */
const longestInteger = 100;

/** Takes JSON numbers, bigint, decimal text and 0x quantities. */
export const integerOf: Parse<Integer> = (input) => {
  if (typeof input === 'bigint') return narrow(input);
  if (typeof input === 'number' && Math.abs(input) < 1e21) return Number.isSafeInteger(input) ? input : invalid;
  // From there on a number that was parsed without loss is what it is written as: 1e+21.
  if (typeof input === 'number' || input instanceof Verbatim) {
    const whole = scaled(String(input), 0);
    return whole === null ? invalid : narrow(whole);
  }
  if (typeof input !== 'string' || input === '') return invalid;
  if (input.length <= 15) return shortInteger(input);
  if (input.length > longestInteger) return invalid;
  if (!/^(-?[0-9]+|0x[0-9a-fA-F]+)$/.test(input)) return invalid;
  return narrow(BigInt(input));
};

/** At most 15 characters are always safe; a character loop costs a third of Number() and a check. */
function shortInteger(input: string): number | typeof invalid {
  if (input.charCodeAt(0) === 48 && input.charCodeAt(1) === 120) {
    const value = Number(input);
    return Number.isNaN(value) ? invalid : value;
  }
  const first = input.charCodeAt(0) === 45 ? 1 : 0;
  if (first === input.length) return invalid;
  let value = 0;
  for (let i = first; i < input.length; i++) {
    const digit = input.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return invalid;
    value = value * 10 + digit;
  }
  return first === 1 && value !== 0 ? -value : value;
}

const narrow = (value: bigint): Integer =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;

/** The same between two bounds, both included. */
export const within =
  (low: bigint, high: bigint): Parse<Integer> =>
  (input) => {
    const value = integerOf(input);
    if (value === invalid) return invalid;
    // Comparison of number and bigint is exact.
    return value >= low && value <= high ? value : invalid;
  };
