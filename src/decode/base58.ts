import { Buffer } from 'node:buffer';
import { decodeError } from './decodeError.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < 58; i++) VALUES[CODES[i] as number] = i;

// Long division works on digits of base 58^4 and limbs of 24 bits: their product stays below 2^53, so plain numbers do.
const FOUR = 58 ** 4;
const LIMB = 2 ** 24;

/** Base58 text of bytes, as in Bitcoin and Avalanche: leading zero bytes become leading `1`. Meant for ids, not for long data. */
export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  const digits: number[] = [];
  for (let at = zeros; at < bytes.length; ) {
    // The first limb takes the odd bytes, so that all the others are whole.
    const width = (bytes.length - at) % 3 || 3;
    let carry = 0;
    for (let i = 0; i < width; i++) carry = carry * 256 + (bytes[at + i] as number);
    at += width;
    for (let i = 0; i < digits.length; i++) {
      const value = (digits[i] as number) * LIMB + carry;
      carry = Math.floor(value / FOUR);
      digits[i] = value - carry * FOUR;
    }
    while (carry > 0) {
      digits.push(carry % FOUR);
      carry = Math.floor(carry / FOUR);
    }
  }
  const text = Buffer.allocUnsafe(zeros + digits.length * 4);
  text.fill(CODES[0] as number, 0, zeros);
  let end = zeros;
  for (let i = digits.length - 1; i >= 0; i--) {
    const digit = digits[i] as number;
    const a = Math.floor(digit / 195112);
    const b = Math.floor(digit / 3364) % 58;
    const c = Math.floor(digit / 58) % 58;
    if (end > zeros || a > 0) text[end++] = CODES[a] as number;
    if (end > zeros || b > 0) text[end++] = CODES[b] as number;
    if (end > zeros || c > 0) text[end++] = CODES[c] as number;
    if (end > zeros || digit > 0) text[end++] = CODES[digit % 58] as number;
  }
  return text.toString('latin1', 0, end);
}

/** The inverse of `encodeBase58`; throws at the first character outside the alphabet. */
export function decodeBase58(text: string): Buffer {
  let zeros = 0;
  while (zeros < text.length && text.charCodeAt(zeros) === CODES[0]) zeros++;
  const limbs: number[] = [];
  for (let at = zeros; at < text.length; ) {
    const width = (text.length - at) % 4 || 4;
    let carry = 0;
    for (let i = 0; i < width; i++, at++) {
      const code = text.charCodeAt(at);
      const value = code < 128 ? (VALUES[code] as number) : -1;
      if (value < 0) throw decodeError(`Character ${JSON.stringify(text[at])} is not base58`, at);
      carry = carry * 58 + value;
    }
    const scale = 58 ** width;
    for (let i = 0; i < limbs.length; i++) {
      const value = (limbs[i] as number) * scale + carry;
      carry = Math.floor(value / LIMB);
      limbs[i] = value - carry * LIMB;
    }
    while (carry > 0) {
      limbs.push(carry % LIMB);
      carry = Math.floor(carry / LIMB);
    }
  }
  const all = Buffer.alloc(zeros + limbs.length * 3);
  for (let i = 0; i < limbs.length; i++) all.writeUIntBE(limbs[i] as number, all.length - 3 * (i + 1), 3);
  let first = zeros;
  while (first < all.length && all[first] === 0) first++;
  return all.subarray(first - zeros);
}
