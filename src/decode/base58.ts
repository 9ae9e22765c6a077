import { Buffer } from 'node:buffer';
import { base58 } from '@scure/base';
import { decodeError } from './decodeError.ts';

/** What is longer is no id, and would take a time that grows with the square of its length. */
const LONGEST = 1_000;
const CODES = Buffer.from('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 'latin1');

// Long division works on digits of base 58^4 and limbs of 24 bits: their product stays below 2^53, so plain numbers do.
const FOUR = 58 ** 4;
const LIMB = 2 ** 24;
// Enough for 64 bytes, that is for all ids.
const DIGITS = new Float64Array(24);
const TEXT = Buffer.alloc(64 + 24 * 4);

/**
 * Base58 text of bytes, as in Bitcoin and Avalanche: leading zero bytes become leading `1`. Rows consist of ids for the most
 * part, so this one is written for speed: three times that of @scure/base.
 *
 * @throws FirnError `decode` for more than 1,000 bytes
 */
export function encodeBase58(bytes: Uint8Array): string {
  if (bytes.length > LONGEST) throw decodeError(`${bytes.length} bytes are no id`, 0);
  const long = bytes.length > 64;
  const digits = long ? new Float64Array(Math.ceil(bytes.length / 2)) : DIGITS;
  const text = long ? Buffer.alloc(bytes.length * 3) : TEXT;
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  let count = 0;
  for (let at = zeros; at < bytes.length; ) {
    // The first limb takes the odd bytes, so that all the others are whole.
    const end = at + ((bytes.length - at) % 3 || 3);
    let carry = 0;
    for (; at < end; at++) carry = carry * 256 + (bytes[at] as number);
    for (let i = 0; i < count; i++) {
      const value = (digits[i] as number) * LIMB + carry;
      carry = Math.floor(value / FOUR);
      digits[i] = value - carry * FOUR;
    }
    while (carry > 0) {
      const rest = Math.floor(carry / FOUR);
      digits[count++] = carry - rest * FOUR;
      carry = rest;
    }
  }
  text.fill(CODES[0] as number, 0, zeros);
  let end = zeros;
  for (let i = count - 1; i >= 0; i--) {
    let digit = digits[i] as number;
    for (let scale = 58 ** 3; scale >= 1; scale /= 58) {
      const one = Math.floor(digit / scale);
      digit -= one * scale;
      if (end > zeros || one > 0) text[end++] = CODES[one] as number;
    }
  }
  return text.toString('latin1', 0, end);
}

/** The inverse of `encodeBase58`; throws FirnError `decode`. */
export function decodeBase58(text: string): Uint8Array {
  if (text.length > LONGEST) throw decodeError(`${text.length} characters are no id in base58`, 0);
  try {
    return base58.decode(text);
  } catch {
    throw decodeError(`${JSON.stringify(text.slice(0, 120))} is not base58`, 0);
  }
}
