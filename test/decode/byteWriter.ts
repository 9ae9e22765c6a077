import { Buffer } from 'node:buffer';

/** Appends big-endian bytes to a buffer that grows; `reserve` may replace the buffer, so it is called first. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafe(512);
  private length = 0;

  u8(value: number): void {
    const at = this.reserve(1);
    this.buffer.writeUInt8(value, at);
  }

  u16(value: number): void {
    const at = this.reserve(2);
    this.buffer.writeUInt16BE(value, at);
  }

  u32(value: number): void {
    const at = this.reserve(4);
    this.buffer.writeUInt32BE(value, at);
  }

  u64(value: bigint): void {
    const at = this.reserve(8);
    this.buffer.writeBigUInt64BE(value, at);
  }

  i64(value: bigint): void {
    const at = this.reserve(8);
    this.buffer.writeBigInt64BE(value, at);
  }

  fixed(value: Uint8Array): void {
    const at = this.reserve(value.length);
    this.buffer.set(value, at);
  }

  /** Bytes after their u32 length. */
  prefixed(value: Uint8Array): void {
    this.u32(value.length);
    this.fixed(value);
  }

  /** A copy of what was written. */
  bytes(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.length));
  }

  private reserve(length: number): number {
    const start = this.length;
    this.length = start + length;
    if (this.length > this.buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length));
      grown.set(this.buffer.subarray(0, start));
      this.buffer = grown;
    }
    return start;
  }
}
