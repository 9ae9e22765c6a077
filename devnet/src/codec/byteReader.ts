import { toCb58 } from './cb58.ts';

/** Reads big-endian values one after the other. Throws a RangeError beyond the end. */
export class ByteReader {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length)
      throw new RangeError(`${length} bytes at ${this.at} reach beyond the ${this.bytes.length} there are`);
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u32(): number {
    return this.take(4).readUInt32BE();
  }

  u64(): bigint {
    return this.take(8).readBigUInt64BE();
  }

  /** 32 bytes as cb58. */
  id(): string {
    return toCb58(this.take(32));
  }

  /** A list: its length in 32 bits, then its items. */
  list<T>(item: () => T): T[] {
    return Array.from({ length: this.u32() }, item);
  }

  /** Bytes with their length in 32 bits before them. */
  blob(): Buffer {
    return this.take(this.u32());
  }
}
