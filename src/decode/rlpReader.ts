import type { Buffer } from 'node:buffer';
import { decodeError } from './decodeError.ts';
import { asBuffer } from './hex.ts';

/**
 * A cursor over the items of one RLP list: no copies, no tree. Only the canonical form is accepted (shortest length,
 * no leading zeros in integers), as the node does; so what was read can be written again to the same bytes.
 */
export class RlpReader {
  readonly bytes: Buffer;
  /** Where the next item begins. */
  offset: number;
  private readonly end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = asBuffer(bytes);
    this.offset = start;
    this.end = end;
  }

  get done(): boolean {
    return this.offset >= this.end;
  }

  /** Whether the next item is a list. */
  get atList(): boolean {
    return !this.done && (this.bytes[this.offset] as number) >= 0xc0;
  }

  /** Steps over the next item, which must be a list, and gives a reader of its items. */
  list(expected: string): RlpReader {
    const start = this.next(true, expected);
    return new RlpReader(this.bytes, start, this.offset);
  }

  /** The next item, which must be a byte string. */
  string(expected: string): Buffer {
    const start = this.next(false, expected);
    return this.bytes.subarray(start, this.offset);
  }

  /** The next item, list or string, with its prefix. */
  item(expected: string): Buffer {
    const start = this.offset;
    this.next(this.atList, expected);
    return this.bytes.subarray(start, this.offset);
  }

  /** A byte string of any length as `0x` hex. */
  hex(expected: string): string {
    const start = this.next(false, expected);
    return `0x${this.bytes.toString('hex', start, this.offset)}`;
  }

  /** A byte string of exactly `length` bytes as `0x` hex. */
  fixedHex(length: number, expected: string): string {
    const start = this.next(false, expected);
    if (this.offset - start !== length) {
      throw decodeError(`Expected ${length} bytes of ${expected}, found ${this.offset - start}`, start);
    }
    return `0x${this.bytes.toString('hex', start, this.offset)}`;
  }

  /** An address, or null where the item is empty (the `to` of a contract creation). */
  addressOrNull(expected: string): string | null {
    if (this.bytes[this.offset] !== 0x80) return this.fixedHex(20, expected);
    this.next(false, expected);
    return null;
  }

  /** An unsigned integer of at most `maxBytes` bytes. */
  uint(maxBytes: number, expected: string): bigint {
    const start = this.next(false, expected);
    const length = this.offset - start;
    if (length > maxBytes)
      throw decodeError(`Expected at most ${maxBytes} bytes of ${expected}, found ${length}`, start);
    if (length === 0) return 0n;
    if (this.bytes[start] === 0) throw decodeError(`Integer ${expected} has a leading zero`, start);
    if (length <= 6) return BigInt(this.bytes.readUIntBE(start, length));
    return BigInt(`0x${this.bytes.toString('hex', start, this.offset)}`);
  }

  /** Throws when items are left over. */
  finish(what: string): void {
    if (!this.done) throw decodeError(`${this.end - this.offset} bytes are left after the end of ${what}`, this.offset);
  }

  /** Moves behind the next item and gives where its content begins. */
  private next(list: boolean, expected: string): number {
    const at = this.offset;
    if (at >= this.end) throw decodeError(`Expected ${expected}, but the RLP list ends`, at);
    const prefix = this.bytes[at] as number;
    if (prefix >= 0xc0 !== list) {
      throw decodeError(`Expected ${expected} as an RLP ${list ? 'list' : 'string'}, found prefix ${prefix}`, at);
    }
    if (prefix < 0x80) {
      this.offset = at + 1;
      return at;
    }
    const short = prefix - (list ? 0xc0 : 0x80);
    const start = short < 56 ? at + 1 : at + 1 + (short - 55);
    if (start > this.end) throw decodeError(`The length of ${expected} is cut off`, at);
    const length = short < 56 ? short : this.longLength(at + 1, start, expected);
    if (length > this.end - start) {
      throw decodeError(`Expected ${length} bytes of ${expected}, but only ${this.end - start} are left`, start);
    }
    if (!list && length === 1 && (this.bytes[start] as number) < 0x80) {
      throw decodeError(`${expected} is not in the shortest RLP form`, at);
    }
    this.offset = start + length;
    return start;
  }

  private longLength(from: number, to: number, expected: string): number {
    if (to - from > 6) throw decodeError(`The length of ${expected} has ${to - from} bytes`, from);
    const length = this.bytes.readUIntBE(from, to - from);
    if (this.bytes[from] === 0 || length < 56) {
      throw decodeError(`The length of ${expected} is not in the shortest RLP form`, from);
    }
    return length;
  }
}
