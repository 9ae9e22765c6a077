import type { Row } from '../columns/columnType.ts';
import type { Column, Table } from '../columns/table.ts';
import { Rows } from '../rows/rows.ts';
import { TextHeap } from '../rows/textHeap.ts';
import type { Partition } from '../stream/partition.ts';
import { type Declared, rowTables } from '../stream/stream.ts';

/** Rows of a stream's table and of its children, read from the same answers: what gathers for one commit. */
export class RowSet {
  readonly heap = new TextHeap();
  readonly own: Rows;
  readonly children: Readonly<Record<string, Rows>>;
  readonly #tables: readonly Rows[];
  readonly #ofStream: readonly Table[];
  #values: Partition['values'];

  constructor(stream: Declared, { values }: Partition) {
    this.#values = values;
    this.own = new Rows(columnsOf(stream.table), this.heap, givenTo(stream.table, values));
    this.children = Object.fromEntries(
      Object.entries(stream.children).map(([name, { table }]) => [
        name,
        new Rows([...columnsOf(table), ...table.transient], this.heap, givenTo(table, values)),
      ]),
    );
    this.#tables = [this.own, ...Object.values(this.children)];
    this.#ofStream = rowTables(stream);
  }

  /** Rows of all tables. */
  get length(): number {
    return this.#tables.reduce((sum, { length }) => sum + length, 0);
  }

  /** Rows of a child. */
  rowsOf(child: string): Rows {
    return this.children[child] as Rows;
  }

  /** Forgets all rows and what they point to, and keeps the room; that of the answers too, where nobody else looks at them. */
  clear(isLast = false): void {
    this.heap.clear(isLast);
    for (const [i, rows] of this.#tables.entries()) rows.restart(givenTo(this.#ofStream[i] as Table, this.#values));
  }

  /** Holds rows of a partition from now on, and forgets those of another one. */
  serve({ values }: Partition): this {
    if (values === this.#values) return this;
    this.#values = values;
    this.clear();
    return this;
  }

  /** Where each table ends now: what a record adds can be taken back to it. */
  mark(): readonly number[] {
    return this.#tables.map(({ length }) => length);
  }

  /** Where a child ended then. */
  placeIn(mark: readonly number[], child: string): number {
    return mark[this.#tables.indexOf(this.rowsOf(child))] ?? 0;
  }

  /** Takes back what came after a mark. */
  takeBack(mark: readonly number[]): void {
    for (const [i, rows] of this.#tables.entries()) rows.truncate(mark[i] ?? 0);
  }

  /**
   * Leaves rows out with their children.
   *
   * @param marks of the last rows: where each began
   * @param isLeft told a row by its place among these
   */
  leaveOut(marks: readonly (readonly number[])[], isLeft: (place: number) => boolean): void {
    for (const [i, rows] of this.#tables.entries()) {
      const kept = marks.flatMap((mark, place) => {
        const [from, to] = [mark[i] ?? 0, marks[place + 1]?.[i] ?? rows.length];
        return isLeft(place) ? [] : Array.from({ length: to - from }, (_, row) => from + row);
      });
      // Without a mark there is no row to leave out, and those that were gathered before stay.
      rows.keepOnly(kept, marks[0]?.[i] ?? rows.length);
    }
  }

  /** Gives all rows that came after a mark the times of their version. */
  stamp(mark: readonly number[], times: Row): void {
    for (const [i, rows] of this.#tables.entries()) {
      for (const [name, value] of Object.entries(times)) {
        const column = rows.column(name);
        for (let row = mark[i] ?? 0; column && row < rows.length; row++) rows.set(column, row, value);
      }
    }
  }
}

/** Of all partitions of a stream, by its table: with a set each, 2,000 addresses took 1.8 GB. */
const spare = new Map<Table, RowSet[]>();

/** An empty set for rows of a stream: a recycled one, or a new one. */
export const takeRowSet = (stream: Declared, partition: Partition): RowSet =>
  spare.get(stream.table)?.pop()?.serve(partition) ?? new RowSet(stream, partition);

/** Lets go of all sets that were given back: once a run has ended, a process that lives on does not need them. */
export const dropRowSets = (): void => spare.clear();

/**
 * Gives back sets that are not needed any more: their columns made anew for each answer would be most of the garbage of a load.
 *
 * @param areLast whether nobody looks at the answers that they were read from either
 */
export function recycleRowSets({ table }: Declared, sets: readonly RowSet[], areLast = false): void {
  const held = spare.get(table) ?? [];
  spare.set(table, held);
  for (const set of sets) {
    set.clear(areLast);
    held.push(set);
  }
}

/** Columns that are known before rows are written: all but the number of the load. */
export const contentOf = (table: Table): readonly Column[] => table.columns.filter(({ name }) => name !== '_load_id');

/** What all rows of a table have: a child's record may say a value of the partition's name itself, or that there is none. */
const givenTo = ({ filled }: Table, values: Partition['values']): Row =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !filled.has(name)));

/** A snapshot gives rows the times of their version only when it is complete. */
const columnsOf = (table: Table): readonly Column[] =>
  contentOf(table).map((column) => (column.name === '_valid_from' ? { ...column, nullable: true } : column));
