import { decodeError } from './decodeError.ts';

/** A height or position as a number; one above 2^53 is none that any chain will ever reach. */
export function safeInteger(value: bigint, what: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw decodeError(`The ${what} is out of range: ${value}`, 0);
  return number;
}
