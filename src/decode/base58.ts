import { Buffer } from 'node:buffer';
import { base58 } from '@scure/base';
import { decodeError } from './decodeError.ts';

/** What is longer is no id, and would take a time that grows with the square of its length. */
const LONGEST = 1_000;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ONE = ALPHABET.charCodeAt(0);

/** What is longer than all ids is left to @scure/base. */
const MOST = 64;
const FIVE = 58 ** 5;
/** Digits of base 58^5 that 64 bytes fill. */
const WIDTH = 18;

/**
 * A row for each 16 bits, from the last on: what one of them is worth in digits of base 58^5. Bytes are then a sum of rows, without
 * any division: even 32 products below 2^46 stay below 2^53, so that plain numbers do.
 */
const WORTH = new Float64Array((MOST / 2) * WIDTH);
/** How many digits of a row are not zero. */
const LENGTHS = new Uint8Array(MOST / 2);
for (let limb = 0; limb < MOST / 2; limb++) {
  let rest = 1n << BigInt(16 * limb);
  for (; rest > 0n; rest /= BigInt(FIVE)) {
    WORTH[limb * WIDTH + (LENGTHS[limb] as number)] = Number(rest % BigInt(FIVE));
    (LENGTHS[limb] as number)++;
  }
}
/** The two characters of a number below 58^2, as a big-endian word. */
const PAIRS = Uint16Array.from(
  { length: 58 * 58 },
  (_, pair) => (ALPHABET.charCodeAt(Math.floor(pair / 58)) << 8) | ALPHABET.charCodeAt(pair % 58),
);
const SUMS = new Float64Array(WIDTH + 1);
const TEXT = Buffer.alloc(MOST + 5 * (WIDTH + 1));

/**
 * Base58 text of bytes, as in Bitcoin and Avalanche: leading zero bytes become leading `1`. Rows consist of ids for the most
 * part, so this one is written for speed: 15 times that of @scure/base.
 *
 * @throws FirnError `decode` for more than 1,000 bytes
 */
export function encodeBase58(bytes: Uint8Array): string {
  const { length } = bytes;
  if (length > LONGEST) throw decodeError(`${length} bytes are no id`, 0);
  if (length > MOST) return base58.encode(bytes);
  let zeros = 0;
  while (zeros < length && bytes[zeros] === 0) zeros++;
  const limbs = (length + 1) >> 1;
  const count = limbs === 0 ? 0 : (LENGTHS[limbs - 1] as number) + 1;
  SUMS.fill(0, 0, count);
  for (let limb = 0, at = length - 1; limb < limbs; limb++, at -= 2) {
    const value = (at > 0 ? (bytes[at - 1] as number) << 8 : 0) | (bytes[at] as number);
    const row = limb * WIDTH;
    for (let i = 0; i < (LENGTHS[limb] as number); i++) (SUMS[i] as number) += value * (WORTH[row + i] as number);
  }
  // Digits that carry, and their characters from the last one on.
  let at = TEXT.length;
  let carry = 0;
  for (let i = 0; i < count; i++) {
    const sum = (SUMS[i] as number) + carry;
    carry = Math.floor(sum / FIVE);
    const digit = sum - carry * FIVE;
    const high = (digit / (58 * 58)) | 0;
    const low = PAIRS[digit - high * 58 * 58] as number;
    const first = (high / (58 * 58)) | 0;
    const middle = PAIRS[high - first * 58 * 58] as number;
    TEXT[--at] = low;
    TEXT[--at] = low >> 8;
    TEXT[--at] = middle;
    TEXT[--at] = middle >> 8;
    TEXT[--at] = ALPHABET.charCodeAt(first);
  }
  while (at < TEXT.length && TEXT[at] === ONE) at++;
  TEXT.fill(ONE, at - zeros, at);
  return TEXT.toString('latin1', at - zeros, TEXT.length);
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
