import type { Buffer } from 'node:buffer';
import { decodeBase58, encodeBase58 } from './base58.ts';
import { decodeError } from './decodeError.ts';
import { checksum, withChecksum } from './hashes.ts';
import { asBuffer } from './hex.ts';
import { textCache } from './textCache.ts';

/** cb58 text of an id: base58 of the bytes and the last 4 bytes of their SHA-256. */
export const encodeCb58 = (bytes: Uint8Array): string => encodeBase58(withChecksum(bytes));

/** The inverse of `encodeCb58`; verifies the checksum. */
export function decodeCb58(text: string): Buffer {
  const all = asBuffer(decodeBase58(text));
  if (all.length < 4) throw decodeError(`Expected cb58 with a 4-byte checksum, found ${all.length} bytes`, 0);
  const bytes = all.subarray(0, -4);
  if (all.readUInt32BE(bytes.length) !== checksum(bytes))
    throw decodeError(`Checksum of cb58 text ${JSON.stringify(text.slice(0, 80))} is wrong`, bytes.length);
  return bytes;
}

/** Whether a text is an id: 32 bytes in cb58. */
export function isCb58Id(text: string): boolean {
  try {
    return decodeCb58(text).length === 32;
  } catch {
    return false;
  }
}

const cached = textCache(encodeCb58);

/** cb58 of ids that come again and again: assets, chains, subnets, and blocks as parents. */
export const cachedCb58 = (id: Uint8Array): string => cached(id, '');
