import { Buffer } from 'node:buffer';

/** RLP list of items that are already encoded. */
export function rlpList(items: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const item of items) length += item.length;
  return Buffer.concat([rlpPrefix(length, 0xc0), ...items]);
}

/** RLP byte string. */
export function rlpString(bytes: Uint8Array): Buffer {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) return Buffer.from(bytes);
  return Buffer.concat([rlpPrefix(bytes.length, 0x80), bytes]);
}

/** RLP byte string of `0x` hex. */
export function rlpHex(hex: string): Buffer {
  return rlpString(Buffer.from(hex.slice(2), 'hex'));
}

/** RLP unsigned integer: big-endian without leading zeros. */
export function rlpUint(value: bigint): Buffer {
  return value === 0n ? Buffer.of(0x80) : rlpString(bigEndian(value));
}

/** Prefix of a string (base 0x80) or list (base 0xc0) of `length` bytes. */
export function rlpPrefix(length: number, base: 0x80 | 0xc0): Buffer {
  if (length < 56) return Buffer.of(base + length);
  const octets = bigEndian(length);
  return Buffer.concat([Buffer.of(base + 55 + octets.length), octets]);
}

/** An unsigned integer above 0, big-endian without leading zeros. */
function bigEndian(value: number | bigint): Buffer {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}
