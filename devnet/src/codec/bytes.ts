import { sha256 } from './hashes.ts';

/** `0x` hex with the four-byte checksum that nodes append. */
export const toCheckedHex = (bytes: Uint8Array): string =>
  `0x${Buffer.from(bytes).toString('hex')}${sha256(bytes).subarray(-4).toString('hex')}`;

/** The bytes of `0x` hex with a checksum (which is not looked at). */
export const fromCheckedHex = (hex: string): Buffer => Buffer.from(hex.slice(2, -8), 'hex');

/** 32 bits, big-endian. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
