import type { ColumnType } from '../columns/columnType.ts';
import type { Column } from '../columns/table.ts';
import { viewWords } from './textHeap.ts';

/** 32-bit words of an entry, laid out as Arrow and DuckDB hold them. Flags take a word here, lists their begin and length. */
const entryWords: Record<ColumnType, number> = {
  varchar: viewWords,
  json: viewWords,
  blob: viewWords,
  varchars: 2,
  boolean: 1,
  integer: 1,
  bigint: 2,
  ubigint: 2,
  timestamp: 2,
  double: 2,
  decimal38: 4,
  decimal18: 4,
};

const twoTo32 = 4294967296;

/** One column of rows: an entry and a validity bit for each row. */
export class RowColumn {
  readonly column: Column;
  readonly width: number;
  /** Safe integers that the column holds. */
  readonly lowest: number;
  readonly highest: number;
  entries: Int32Array;
  /** Bit `row & 31` of word `row >> 5` is set where the row has a value. */
  valid: Int32Array;
  /** Entries of the texts of lists; undefined but for `varchars`. */
  readonly items: { entries: Int32Array; length: number } | undefined;

  constructor(column: Column, capacity: number) {
    this.column = column;
    this.width = entryWords[column.type];
    this.lowest = column.type === 'integer' ? -(2 ** 31) : column.type === 'ubigint' ? 0 : Number.MIN_SAFE_INTEGER;
    this.highest = column.type === 'integer' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
    this.entries = new Int32Array(capacity * this.width);
    this.valid = new Int32Array((capacity + 31) >> 5);
    this.items = column.type === 'varchars' ? { entries: new Int32Array(capacity * viewWords), length: 0 } : undefined;
  }

  isValid(row: number): boolean {
    return (((this.valid[row >> 5] as number) >>> (row & 31)) & 1) === 1;
  }

  setValid(row: number): void {
    (this.valid[row >> 5] as number) |= 1 << (row & 31);
  }

  setNull(row: number): void {
    (this.valid[row >> 5] as number) &= ~(1 << (row & 31));
  }

  /** Begins the entry of a further text of a list; returns its place in `items`. */
  addItem(): number {
    const items = this.items as { entries: Int32Array; length: number };
    if ((items.length + 1) * viewWords > items.entries.length) items.entries = doubled(items.entries);
    return items.length++;
  }

  /** A safe integer as two 32-bit halves: a BigInt each would cost as much as the rest of a row. */
  setInteger(row: number, value: number): void {
    const { entries, width } = this;
    const word = row * width;
    if (width === 1) {
      entries[word] = value;
      return;
    }
    // Most are below 2^31: no division.
    const small = value | 0;
    const high = small === value ? small >> 31 : Math.floor(value / twoTo32);
    entries[word] = small === value ? small : value - high * twoTo32;
    entries[word + 1] = high;
    if (width === 4) {
      entries[word + 2] = high >> 31;
      entries[word + 3] = high >> 31;
    }
  }

  setBigint(row: number, value: bigint): void {
    const number = Number(value);
    if (Number.isSafeInteger(number)) {
      this.setInteger(row, number);
      return;
    }
    const word = row * this.width;
    for (let i = 0; i < this.width; i++) this.entries[word + i] = Number(BigInt.asIntN(32, value >> BigInt(i * 32)));
  }

  setDouble(row: number, value: number): void {
    new DataView(this.entries.buffer).setFloat64(row * 8, value, true);
  }

  /** An integer, exact; bigint where a number cannot hold it. Only of columns of integers and times. */
  integerAt(row: number): number | bigint {
    const word = row * this.width;
    if (this.width === 1) return this.entries[word] as number;
    let value = 0n;
    for (let i = this.width - 1; i >= 0; i--) value = (value << 32n) | BigInt((this.entries[word + i] as number) >>> 0);
    const exact = this.column.type === 'ubigint' ? value : BigInt.asIntN(this.width * 32, value);
    return exact >= Number.MIN_SAFE_INTEGER && exact <= Number.MAX_SAFE_INTEGER ? Number(exact) : exact;
  }

  /** A 64-bit integer as a number: exact below 2^53, which heights and times are. */
  numberAt(row: number): number {
    const word = row * this.width;
    if (this.width === 1) return this.entries[word] as number;
    return (this.entries[word + 1] as number) * twoTo32 + ((this.entries[word] as number) >>> 0);
  }

  grow(): void {
    this.entries = doubled(this.entries);
    this.valid = doubled(this.valid);
  }

  /** Removes the values of all rows from `length` on. */
  truncate(length: number, before: number): void {
    for (let row = length; row < before && (row & 31) !== 0; row++) this.setNull(row);
    this.valid.fill(0, (length + 31) >> 5, (before + 31) >> 5);
    if (length === 0 && this.items) this.items.length = 0;
  }

  /** Copies the entry and validity of a row of a column of the same type and heap. */
  copy(row: number, from: RowColumn, fromRow: number): void {
    const [word, source] = [row * this.width, fromRow * this.width];
    for (let i = 0; i < this.width; i++) this.entries[word + i] = from.entries[source + i] as number;
    if (from.isValid(fromRow)) this.setValid(row);
    else this.setNull(row);
  }
}

function doubled(array: Int32Array): Int32Array {
  const larger = new Int32Array(Math.max(4, array.length * 2));
  larger.set(array);
  return larger;
}
