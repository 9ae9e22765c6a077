import { Buffer } from 'node:buffer';
import { decodeError } from './decodeError.ts';

/** A Buffer over the same memory: Buffer's number and hex readers are native, Uint8Array has none. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Lower-case `0x` hex. */
export function toHex(bytes: Uint8Array): string {
  return `0x${asBuffer(bytes).toString('hex')}`;
}

const slabSize = 1 << 20;
let slab = Buffer.allocUnsafeSlow(slabSize);
let used = 0;

/** Values lie side by side in slabs: with memory of its own for every few of them, collecting it costs as much as decoding. */
function roomFor(size: number): Buffer {
  if (size > slabSize >> 4) return Buffer.allocUnsafeSlow(size);
  if (used + size > slabSize) {
    slab = Buffer.allocUnsafeSlow(slabSize);
    used = 0;
  }
  used += size;
  return slab.subarray(used - size, used);
}

/** Reads `0x` hex of either case; an odd length or another character throws. */
export function fromHex(text: string): Buffer {
  if (!text.startsWith('0x')) throw decodeError('Expected hex that starts with 0x', 0);
  const digits = text.length - 2;
  if (digits % 2 !== 0) throw decodeError(`Expected an even number of hex digits, found ${digits}`, digits >> 1);
  const bytes = roomFor(digits / 2);
  // Buffer stops silently at the first character that is not a hex digit.
  const read = bytes.write(text.slice(2), 'hex');
  if (read !== bytes.length) throw decodeError('Expected a hex digit', read);
  return bytes;
}
