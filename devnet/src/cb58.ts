import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

/** 32 zero bytes: what an absent id means to a node, and the P-Chain's own id. */
export const EMPTY_ID = '11111111111111111111111111111111LpoYY';

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Base58 of the bytes and the last four bytes of their sha256. */
export function encodeCb58(bytes: Uint8Array): string {
  return base58.encode(Buffer.concat([bytes, sha256(bytes).subarray(-4)]));
}

/** The bytes of a cb58 text of exactly `length` bytes, or null if it is not one. */
export function decodeCb58(text: string, length: number): Uint8Array | null {
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(text);
  } catch {
    return null;
  }
  const payload = bytes.subarray(0, -4);
  if (payload.length !== length) return null;
  return sha256(payload).subarray(-4).equals(bytes.subarray(-4)) ? payload : null;
}

/** `0x` hex with the four-byte checksum that nodes append. */
export function encodeHex(payload: Uint8Array): string {
  return `0x${Buffer.from(payload).toString('hex')}${sha256(payload).subarray(-4).toString('hex')}`;
}

/** The payload of `0x` hex with a checksum (which is not looked at). */
export function decodeHex(text: string): Buffer {
  return Buffer.from(text.slice(2, -8), 'hex');
}
