import { type ColumnType, integerRanges, type Value } from '../columns/columnType.ts';
import { wideValue } from '../columns/wideValue.ts';
import { FirnError } from '../firnError.ts';
import { lastSecond } from './lastSecond.ts';
import type { RowColumn } from './rowColumn.ts';
import type { Rows } from './rows.ts';

const ranges: Partial<Record<ColumnType, readonly [bigint, bigint]>> = integerRanges;

/** What a cell gives back once it was written: code that fills a column cannot forget to. */
export type Filled = 'filled';

interface TextCell<Null> {
  text(value: string | Null): Filled;
  /** Bytes, or a part of them, as lower-case `0x` hex; NULL where `from` is below 0. */
  hex(bytes: Uint8Array | Null, from?: number, to?: number): Filled;
  /** Bytes of an unsigned integer without zeros in front, as a JSON-RPC quantity: `0x0`, `0x1f`. */
  quantity(bytes: Uint8Array | Null, from?: number, to?: number): Filled;
}
interface IntegerCell<Null> {
  /** Throws FirnError `decode` for an integer that the column cannot hold; its digits go to the text column beside it, where there is one. */
  integer(value: number | bigint | Null): Filled;
  /** The same of a big-endian unsigned integer of at most 32 bytes. */
  unsigned(bytes: Uint8Array | Null, from?: number, to?: number): Filled;
}
interface TimeCell<Null> {
  /** Unix seconds; a time outside the years 1970-9999 is NULL. */
  seconds(value: number | bigint | Null): Filled;
}
interface BooleanCell<Null> {
  boolean(value: boolean | Null): Filled;
}
interface TextsCell<Null> {
  texts(value: readonly string[] | Null): Filled;
  /** Bytes each as lower-case `0x` hex. */
  hexes(values: readonly Uint8Array[]): Filled;
}
interface BytesCell<Null> {
  bytes(value: Uint8Array | Null): Filled;
}

type CellFor<Held, Null> = [Held] extends [string]
  ? TextCell<Null>
  : [Held] extends [boolean]
    ? BooleanCell<Null>
    : [Held] extends [Uint8Array]
      ? BytesCell<Null>
      : [Held] extends [readonly string[]]
        ? TextsCell<Null>
        : [Held] extends [number]
          ? TimeCell<Null>
          : IntegerCell<Null>;

type OutputOf<Schema> = Schema extends { readonly _zod: { readonly output: infer Output } } ? Output : never;

/** What can be written into a column, by its schema: null only where that is `optional`. */
export type CellOf<Schema> = CellFor<NonNullable<OutputOf<Schema>>, Extract<OutputOf<Schema>, null>>;

/** The cell of one column in the last row of rows: typed values are written into it, and bytes without making a string of them. */
export class Cell
  implements TextCell<null>, IntegerCell<null>, TimeCell<null>, BooleanCell<null>, TextsCell<null>, BytesCell<null>
{
  readonly #rows: Rows;
  readonly #column: RowColumn;
  /** The column beside a wide one. */
  readonly #digits: RowColumn | undefined;

  constructor(rows: Rows, name: string) {
    const column = rows.named(name);
    this.#rows = rows;
    this.#column = column;
    this.#digits = column.column.type === 'decimal38' ? rows.column(`${name}_text`) : undefined;
  }

  text(value: string | null): Filled {
    return this.#set(value);
  }

  hex(bytes: Uint8Array | null, from = 0, to = bytes?.length ?? 0): Filled {
    if (bytes === null || from < 0) return 'filled';
    const row = this.#rows.length - 1;
    this.#rows.heap.writeHex(this.#column.entries, row, bytes, from, to);
    this.#column.setValid(row);
    return 'filled';
  }

  quantity(bytes: Uint8Array | null, from = 0, to = bytes?.length ?? 0): Filled {
    if (bytes === null || from < 0) return 'filled';
    const row = this.#rows.length - 1;
    const first = from < to ? (bytes[from] as number) : 0;
    // A first byte below 16 is one digit.
    const [half, whole] = first < 16 ? [first, Math.min(from + 1, to)] : [undefined, from];
    this.#rows.heap.writeHex(this.#column.entries, row, bytes, whole, to, half);
    this.#column.setValid(row);
    return 'filled';
  }

  integer(value: number | bigint | null): Filled {
    const { name, type } = this.#column.column;
    if (typeof value !== 'bigint') return this.#set(value);
    if (this.#digits) {
      const { held, text } = wideValue(type, value);
      if (text !== null) this.#rows.set(this.#digits, this.#rows.length - 1, text);
      return this.#set(held);
    }
    const [low, high] = ranges[type] ?? [];
    if (low !== undefined && high !== undefined && (value < low || value > high))
      throw new FirnError('decode', `${name} is ${value}, which its column cannot hold`);
    return this.#set(value);
  }

  unsigned(bytes: Uint8Array | null, from = 0, to = bytes?.length ?? 0): Filled {
    if (bytes === null || from < 0) return 'filled';
    const { width } = this.#column;
    const length = to - from;
    // A value that may be too large for its column is looked at as a whole. 15 bytes are always below 10^38.
    if (length >= width * 4) return this.integer(unsignedOf(bytes, from, to));
    const row = this.#rows.length - 1;
    const { entries } = this.#column;
    let end = to;
    for (let word = row * width; word < (row + 1) * width; word++) {
      let value = 0;
      for (let shift = 0; shift < 32 && end > from; shift += 8) value |= (bytes[--end] as number) << shift;
      entries[word] = value;
    }
    this.#column.setValid(row);
    return 'filled';
  }

  seconds(value: number | bigint | null): Filled {
    return this.#set(value === null || value < 0 || value > lastSecond ? null : Number(value) * 1_000_000);
  }

  boolean(value: boolean | null): Filled {
    return this.#set(value);
  }

  texts(value: readonly string[] | null): Filled {
    return this.#set(value);
  }

  hexes(values: readonly Uint8Array[]): Filled {
    const { entries } = this.#column;
    const row = this.#rows.length - 1;
    entries[row * 2] = this.#column.items?.length ?? 0;
    entries[row * 2 + 1] = values.length;
    for (const value of values) {
      const at = this.#column.addItem();
      this.#rows.heap.writeHex(this.#column.items?.entries as Int32Array, at, value, 0, value.length);
    }
    this.#column.setValid(row);
    return 'filled';
  }

  bytes(value: Uint8Array | null): Filled {
    return this.#set(value);
  }

  #set(value: Value): Filled {
    this.#rows.set(this.#column, this.#rows.length - 1, value);
    return 'filled';
  }
}

function unsignedOf(bytes: Uint8Array, from: number, to: number): bigint {
  let value = 0n;
  for (let i = from; i < to; i++) value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}
