import type { Buffer } from 'node:buffer';
import { decodeError } from '../bytes/decodeError.ts';

/** Bytes of one length, or of any (`hex`); an address or nothing; an unsigned integer of at most so many bits; a list of hashes; an access list. */
export type FieldKind = number | 'hex' | 'address' | 'uint8' | 'uint64' | 'uint256' | 'hashes' | 'accessList';

/** A big-endian unsigned integer; 0 where there are no bytes. */
export function unsignedAt(bytes: Buffer, from: number, to: number): bigint {
  if (from === to) return 0n;
  if (to - from <= 6) return BigInt(bytes.readUIntBE(from, to - from));
  return BigInt(`0x${bytes.toString('hex', from, to)}`);
}

/**
 * A cursor over the items of one RLP list: no copies, no tree. Only the canonical form is accepted (shortest length,
 * no leading zeros in integers), as the node does, so that what was read can be written again to the same bytes.
 */
export class RlpReader {
  readonly bytes: Buffer;
  /** Where the next item begins. */
  offset: number;
  private readonly end: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
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

  /** A byte string of exactly `length` bytes as `0x` hex. */
  fixedHex(length: number, expected: string): string {
    const start = this.field(length, expected);
    return `0x${this.bytes.toString('hex', start, this.offset)}`;
  }

  /** An unsigned integer of at most `maxBytes` bytes. */
  uint(maxBytes: number, expected: string): bigint {
    return unsignedAt(this.bytes, this.unsigned(maxBytes, expected), this.offset);
  }

  /** Steps over the next item, which must be of a kind, and gives where its content begins. */
  field(kind: FieldKind, expected: string): number {
    switch (kind) {
      case 'hex':
        return this.next(false, expected);
      case 'hashes': {
        const items = this.list(expected);
        const start = items.offset;
        while (!items.done) items.field(32, 'hash');
        return start;
      }
      case 'accessList': {
        const items = this.list(expected);
        const start = items.offset;
        while (!items.done) {
          const entry = items.list('access list entry');
          entry.field(20, 'address');
          entry.field('hashes', 'storage keys');
          entry.finish('the access list entry');
        }
        return start;
      }
      case 'uint8':
        return this.unsigned(1, expected);
      case 'uint64':
        return this.unsigned(8, expected);
      case 'uint256':
        return this.unsigned(32, expected);
      case 'address':
        return this.bytes[this.offset] === 0x80 ? this.next(false, expected) : this.field(20, expected);
      default: {
        const start = this.next(false, expected);
        if (this.offset - start === kind) return start;
        throw decodeError(`Expected ${kind} bytes of ${expected}, found ${this.offset - start}`, start);
      }
    }
  }

  /** Throws when items are left over. */
  finish(what: string): void {
    if (!this.done) throw decodeError(`${this.end - this.offset} bytes are left after the end of ${what}`, this.offset);
  }

  private unsigned(maxBytes: number, expected: string): number {
    const start = this.next(false, expected);
    const length = this.offset - start;
    if (length > maxBytes)
      throw decodeError(`Expected at most ${maxBytes} bytes of ${expected}, found ${length}`, start);
    if (length > 0 && this.bytes[start] === 0) throw decodeError(`Integer ${expected} has a leading zero`, start);
    return start;
  }

  /** Moves behind the next item and gives where its content begins. */
  private next(list: boolean, expected: string): number {
    const at = this.offset;
    if (at >= this.end) throw decodeError(`Expected ${expected}, but the RLP list ends`, at);
    const prefix = this.bytes[at] as number;
    if (prefix >= 0xc0 !== list)
      throw decodeError(`Expected ${expected} as an RLP ${list ? 'list' : 'string'}, found prefix ${prefix}`, at);
    if (prefix < 0x80) {
      this.offset = at + 1;
      return at;
    }
    const short = prefix - (list ? 0xc0 : 0x80);
    const start = short < 56 ? at + 1 : at + 1 + (short - 55);
    if (start > this.end) throw decodeError(`The length of ${expected} is cut off`, at);
    const length = short < 56 ? short : this.longLength(at + 1, start, expected);
    if (length > this.end - start)
      throw decodeError(`Expected ${length} bytes of ${expected}, but only ${this.end - start} are left`, start);
    if (!list && length === 1 && (this.bytes[start] as number) < 0x80)
      throw decodeError(`${expected} is not in the shortest RLP form`, at);
    this.offset = start + length;
    return start;
  }

  private longLength(from: number, to: number, expected: string): number {
    if (to - from > 6) throw decodeError(`The length of ${expected} has ${to - from} bytes`, from);
    const length = this.bytes.readUIntBE(from, to - from);
    if (this.bytes[from] === 0 || length < 56)
      throw decodeError(`The length of ${expected} is not in the shortest RLP form`, from);
    return length;
  }
}
