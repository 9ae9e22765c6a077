import { lastSecond } from '../../core/rows/lastSecond.ts';
import { decodeError } from './decodeError.ts';

/** A block's time in Unix seconds as a number; a time before 1970 or after 9999 is no block's time. */
export function blockTime(value: bigint, what: string): number {
  if (value < 0n || value > lastSecond) throw decodeError(`The ${what} is not a time: ${value}`, 0);
  return Number(value);
}

/** A height or position as a number; no chain will ever reach one above 2^53. */
export function safeInteger(value: bigint, what: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw decodeError(`The ${what} is out of range: ${value}`, 0);
  return number;
}
