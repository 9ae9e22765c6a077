import { Buffer } from 'node:buffer';
import type { Filled } from '../../core/rows/cell.ts';
import { type FieldKind, RlpReader, unsignedAt } from './rlpReader.ts';

/** Numbers for the members of a list, by name. */
export const slotsOf = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> =>
  Object.fromEntries(names.map((name, slot) => [name, slot])) as Record<Name, number>;

/** Members of a list in the order on the wire: their slots, kinds, and what messages call them. */
export type RlpLayout = readonly (readonly [slot: number, kind: FieldKind, said: string])[];

/** A cell that takes a part of some bytes; nothing where that begins below 0. */
type Takes = (bytes: Uint8Array, from: number, to: number) => Filled;

/**
 * Where the members of an RLP list stand. They are checked as they are read, and nothing of them is copied: that is done where a
 * column wants them. One object serves list after list.
 */
export class RlpFields {
  bytes: Buffer = Buffer.alloc(0);
  /** Where the members of each slot begin, and behind these where they end; -1 where the list has none. */
  readonly #places: Int32Array;
  readonly #slots: number;

  constructor(slots: number) {
    this.#slots = slots;
    this.#places = new Int32Array(2 * slots);
  }

  /** Forgets what was read, and goes on in other bytes. */
  begin(bytes: Buffer): void {
    this.bytes = bytes;
    this.#places.fill(-1);
  }

  /** Reads members. @param open whether the list may end before its last member */
  read(items: RlpReader, layout: RlpLayout, open = false): void {
    for (const [slot, kind, said] of layout) {
      if (open && items.done) return;
      this.#places[slot] = items.field(kind, said);
      this.#places[this.#slots + slot] = items.offset;
    }
  }

  has(slot: number): boolean {
    return this.from(slot) >= 0;
  }

  /** Whether a member is there, without any bytes. */
  isEmpty(slot: number): boolean {
    return this.has(slot) && this.from(slot) === this.to(slot);
  }

  /** The bytes of a member that is there. */
  bytesAt(slot: number): Buffer {
    return this.bytes.subarray(this.from(slot), this.to(slot));
  }

  from(slot: number): number {
    return this.#places[slot] as number;
  }

  to(slot: number): number {
    return this.#places[this.#slots + slot] as number;
  }

  /** An unsigned integer; null where there is none. */
  uint(slot: number): bigint | null {
    const from = this.from(slot);
    return from < 0 ? null : unsignedAt(this.bytes, from, this.to(slot));
  }

  /** The same, as a number where 48 bits hold it. */
  quantity(slot: number): number | bigint | null {
    const [from, to] = [this.from(slot), this.to(slot)];
    if (from < 0 || to - from > 6) return this.uint(slot);
    return from === to ? 0 : this.bytes.readUIntBE(from, to - from);
  }

  /** Bytes as `0x` hex; null where there are none. */
  hex(slot: number): string | null {
    const from = this.from(slot);
    return from < 0 ? null : `0x${this.bytes.toString('hex', from, this.to(slot))}`;
  }

  /** A reader of the items of a list. */
  list(slot: number): RlpReader {
    return new RlpReader(this.bytes, this.from(slot), this.to(slot));
  }

  /** Writes an integer into a cell; a member that the list lacks leaves it NULL. */
  toUnsigned(cell: { unsigned: Takes }, slot: number): Filled {
    return cell.unsigned(this.bytes, this.from(slot), this.to(slot));
  }

  toHex(cell: { hex: Takes }, slot: number): Filled {
    return cell.hex(this.bytes, this.from(slot), this.to(slot));
  }

  toQuantity(cell: { quantity: Takes }, slot: number): Filled {
    return cell.quantity(this.bytes, this.from(slot), this.to(slot));
  }
}
