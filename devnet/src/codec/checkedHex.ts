import { sha256 } from './sha256.ts';

/** `0x` hex with the four-byte checksum that nodes append. */
export const toCheckedHex = (bytes: Uint8Array): string =>
  `0x${Buffer.from(bytes).toString('hex')}${sha256(bytes).subarray(-4).toString('hex')}`;

/** The bytes of `0x` hex with a checksum (which is not looked at). */
export const fromCheckedHex = (hex: string): Buffer => Buffer.from(hex.slice(2, -8), 'hex');
