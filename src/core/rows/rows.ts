import type { Row, Value } from '../columns/columnType.ts';
import type { Column } from '../columns/table.ts';
import { RowColumn } from './rowColumn.ts';
import { TextHeap } from './textHeap.ts';

const firstCapacity = 256;

/** A row whose values in some columns are those of the rows that belong to it. */
export interface Inherited {
  readonly from: Rows;
  readonly row: number;
  readonly columns: readonly string[];
}

/** A value that every row has: its entry. */
interface Constant {
  readonly column: RowColumn;
  readonly entry: Int32Array;
}

/** Rows of one table as typed columns in Arrow layout, text as views into a heap. They grow, and can be taken back from the end. */
export class Rows {
  readonly columns: readonly RowColumn[];
  readonly heap: TextHeap;
  length = 0;
  #capacity: number;
  readonly #byName: ReadonlyMap<string, RowColumn>;
  #constants: readonly Constant[] = [];

  /** @param values what every row has from its beginning, by column: the partition's values */
  constructor(columns: readonly Column[], heap = new TextHeap(), values: Row = {}) {
    this.heap = heap;
    this.#capacity = firstCapacity;
    this.columns = columns.map((column) => new RowColumn(column, firstCapacity));
    this.#byName = new Map(this.columns.map((column) => [column.column.name, column]));
    this.restart(values);
  }

  /** Forgets all rows; those to come have these values. They lie in the heap too: to be called when that was cleared. */
  restart(values: Row): void {
    this.truncate(0);
    this.#constants = this.columns
      .filter(({ column }) => Object.hasOwn(values, column.name) && values[column.name] !== null)
      .map((column) => {
        this.set(column, 0, values[column.column.name]);
        const entry = column.entries.slice(0, column.width);
        column.truncate(0, 1);
        return { column, entry };
      });
  }

  /** Whether every row has the same value of a column from its beginning. */
  isConstant(name: string): boolean {
    return this.#constants.some(({ column }) => column.column.name === name);
  }

  column(name: string): RowColumn | undefined {
    return this.#byName.get(name);
  }

  /** Adds a row without a value; returns its number. */
  add(): number {
    if (this.length === this.#capacity) {
      for (const column of this.columns) column.grow();
      this.#capacity *= 2;
    }
    const row = this.length++;
    for (let c = 0; c < this.#constants.length; c++) {
      const { column, entry } = this.#constants[c] as Constant;
      const word = row * column.width;
      for (let i = 0; i < column.width; i++) column.entries[word + i] = entry[i] as number;
      column.setValid(row);
    }
    return row;
  }

  /** Takes back every row from `length` on. */
  truncate(length: number): void {
    for (const column of this.columns) column.truncate(length, this.length);
    this.length = length;
  }

  /** Of the rows from `first` on, leaves only the given ones, which are ascending. */
  keepOnly(rows: readonly number[], first = 0): void {
    rows.forEach((from, place) => {
      if (from !== first + place) for (const column of this.columns) column.copy(first + place, column, from);
    });
    this.truncate(first + rows.length);
  }

  /**
   * Adds a row of JavaScript values. A member that is null is NULL, one that is missing as well, where it is not inherited.
   *
   * @throws TypeError when a NOT NULL column has no value or a value does not fit its type; the row is taken back
   */
  append(row: Row, inherited?: Inherited): number {
    const number = this.add();
    try {
      if (inherited) this.inherit(number, inherited);
      for (const column of this.columns) {
        const value = row[column.column.name];
        if (value === null) column.setNull(number);
        else this.set(column, number, value);
      }
      this.#assertComplete(number);
    } catch (error) {
      this.truncate(number);
      throw error;
    }
    return number;
  }

  /** Copies what the rows from `first` on have from the row they belong to. */
  inherit(first: number, { from, row: parent, columns }: Inherited): void {
    for (const name of columns) {
      const [to, source] = [this.named(name), from.named(name)];
      for (let row = first; row < this.length; row++) to.copy(row, source, parent);
    }
  }

  /** Gives the rows from `first` on their places, where they have such a column. */
  count(first: number): void {
    const position = this.#byName.get('position');
    for (let row = first; position && row < this.length; row++) {
      position.setInteger(row, row - first);
      position.setValid(row);
    }
  }

  /** A column that must exist. @throws TypeError where there is none */
  named(name: string): RowColumn {
    const column = this.#byName.get(name);
    if (!column) throw new TypeError(`rows have no column ${name}`);
    return column;
  }

  #assertComplete(row: number): void {
    const missing = this.columns.find((column) => !column.column.nullable && !column.isValid(row));
    if (missing)
      throw new TypeError(`column ${missing.column.name} must have a value, row ${row} of the batch has none`);
  }

  /** Sets one value; null and undefined leave the row as it is. @throws TypeError when the value does not fit its type */
  set(column: RowColumn, row: number, value: Value | undefined): void {
    const { name, type } = column.column;
    if (value === undefined || value === null) return;
    const misfit = (wanted: string) => new TypeError(`column ${name} takes ${wanted}, got ${typeof value}`);
    switch (type) {
      case 'varchar':
      case 'json':
        if (typeof value !== 'string') throw misfit('text');
        this.heap.writeText(column.entries, row, value);
        break;
      case 'blob':
        if (!(value instanceof Uint8Array)) throw misfit('bytes');
        this.heap.writeBytes(column.entries, row, value);
        break;
      case 'varchars':
        if (!Array.isArray(value)) throw misfit('a list');
        this.#setList(column, row, value);
        break;
      case 'boolean':
        column.entries[row] = value ? 1 : 0;
        break;
      case 'double':
        column.setDouble(row, Number(value));
        break;
      default:
        if (typeof value === 'number') column.setInteger(row, value);
        else if (typeof value === 'bigint') column.setBigint(row, value);
        else throw misfit('an integer');
    }
    column.setValid(row);
  }

  #setList(column: RowColumn, row: number, items: readonly string[]): void {
    const first = column.items?.length ?? 0;
    for (const item of items) {
      const at = column.addItem();
      this.heap.writeText(column.items?.entries as Int32Array, at, item);
    }
    column.entries[row * 2] = first;
    column.entries[row * 2 + 1] = items.length;
  }

  /** The value of a cell as JavaScript; bytes are a view that lives as long as the heap's buffers. */
  value(column: RowColumn, row: number): Value {
    if (!column.isValid(row)) return null;
    const { entries } = column;
    switch (column.column.type) {
      case 'varchar':
      case 'json':
        return textOf(this.heap, entries, row);
      case 'blob':
        return this.heap.bytesAt(entries, row);
      case 'varchars': {
        const [first, count] = [entries[row * 2] as number, entries[row * 2 + 1] as number];
        const items = column.items?.entries as Int32Array;
        return Array.from({ length: count }, (_, i) => textOf(this.heap, items, first + i));
      }
      case 'boolean':
        return entries[row] === 1;
      case 'double':
        return new DataView(entries.buffer).getFloat64(row * 8, true);
      default:
        return column.integerAt(row);
    }
  }

  /** A row as an object, for what must look at a few of them. */
  row(number: number): Row {
    return Object.fromEntries(this.columns.map((column) => [column.column.name, this.value(column, number)]));
  }

  /** The last row as an object; undefined where there is none. */
  last(): Row | undefined {
    return this.length > 0 ? this.row(this.length - 1) : undefined;
  }

  /** All rows, as objects. */
  toObjects(): Row[] {
    return Array.from({ length: this.length }, (_, number) => this.row(number));
  }
}

function textOf(heap: TextHeap, entries: Int32Array, at: number): string {
  const bytes = heap.bytesAt(entries, at);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
