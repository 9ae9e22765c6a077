import { decodeError } from './decodeError.ts';

/** The last second that a timestamp column can hold with room to spare: the end of the year 9999. */
const last = 253_402_300_799n;

/** A block's time in Unix seconds as a number; a time before 1970 or after 9999 is no block's time. */
export function blockTime(value: bigint, what: string): number {
  if (value < 0n || value > last) throw decodeError(`The ${what} is not a time: ${value}`, 0);
  return Number(value);
}

/** A height or position as a number; no chain will ever reach one above 2^53. */
export function safeInteger(value: bigint, what: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw decodeError(`The ${what} is out of range: ${value}`, 0);
  return number;
}
