import type { Buffer } from 'node:buffer';
import { decodeError } from './decodeError.ts';
import { asBuffer } from './hex.ts';

/** Reads big-endian bytes from front to back, never past the end. Slices share memory with the input. */
export class ByteReader {
  readonly bytes: Buffer;
  offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = asBuffer(bytes);
    this.offset = offset;
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  u8(expected: string): number {
    return this.bytes[this.advance(1, expected)] as number;
  }

  u16(expected: string): number {
    return this.bytes.readUInt16BE(this.advance(2, expected));
  }

  u32(expected: string): number {
    return this.bytes.readUInt32BE(this.advance(4, expected));
  }

  u64(expected: string): bigint {
    return this.bytes.readBigUInt64BE(this.advance(8, expected));
  }

  i64(expected: string): bigint {
    return this.bytes.readBigInt64BE(this.advance(8, expected));
  }

  fixed(length: number, expected: string): Buffer {
    const start = this.advance(length, expected);
    return this.bytes.subarray(start, start + length);
  }

  /** Bytes after their u32 length. */
  prefixed(expected: string): Buffer {
    return this.fixed(this.u32(`length of ${expected}`), expected);
  }

  /** Throws when bytes are left over. */
  end(what: string): void {
    if (this.remaining > 0) throw this.error(`${this.remaining} bytes are left after the end of ${what}`);
  }

  error(what: string): Error {
    return decodeError(what, this.offset);
  }

  private advance(length: number, expected: string): number {
    const start = this.offset;
    if (start + length > this.bytes.length)
      throw this.error(`Expected ${expected} (${length} bytes), but only ${this.remaining} bytes are left`);
    this.offset = start + length;
    return start;
  }
}
