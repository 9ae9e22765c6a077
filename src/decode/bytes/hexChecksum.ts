import type { Buffer } from 'node:buffer';
import { decodeError } from './decodeError.ts';
import { checksum, withChecksum } from './hashes.ts';
import { fromHex, toHex } from './hex.ts';

/**
 * Reads the encoding `hex` of the node's index, platform and avm APIs: `0x`, the bytes, and the last 4 bytes of their
 * SHA-256, which are verified and stripped. The encoding `hexnc` has no checksum: read that with `fromHex`.
 */
export function decodeHexChecksum(text: string): Buffer {
  const all = fromHex(text);
  if (all.length < 4) throw decodeError(`Expected 4 bytes of checksum at the end, found ${all.length}`, 0);
  const bytes = all.subarray(0, -4);
  const found = all.readUInt32BE(bytes.length);
  if (checksum(bytes) !== found)
    throw decodeError(`Checksum 0x${found.toString(16).padStart(8, '0')} does not belong to these bytes`, bytes.length);
  return bytes;
}

/** The inverse of `decodeHexChecksum`. */
export const encodeHexChecksum = (bytes: Uint8Array): string => toHex(withChecksum(bytes));
