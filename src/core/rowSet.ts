import { Rows } from './rows.ts';
import type { Declared, Partition } from './stream.ts';
import type { Column, Table } from './table.ts';
import { TextHeap } from './textHeap.ts';

/** Rows of a stream's table and of its children, read from the same answers. */
export class RowSet {
  readonly heap = new TextHeap();
  readonly own: Rows;
  readonly children: Readonly<Record<string, Rows>>;

  constructor(stream: Declared, { values }: Partition) {
    this.own = new Rows(contentOf(stream.table), this.heap, values);
    const { enrichment } = stream;
    this.children = Object.fromEntries(
      Object.entries(stream.children).map(([name, { table }]) => {
        const columns = contentOf(table);
        const all = enrichment?.child === name ? [...columns, transient(enrichment.from)] : columns;
        return [name, new Rows(all, this.heap, values)];
      }),
    );
  }

  /** Rows of all tables. */
  get length(): number {
    return Object.values(this.children).reduce((sum, { length }) => sum + length, this.own.length);
  }
}

/** Columns that come from answers: the number of the load and the times of a version are known only when rows are written. */
export const contentOf = (table: Table): readonly Column[] =>
  table.columns.filter(({ name }) => !written.includes(name));
const written: readonly string[] = ['_load_id', '_valid_from', '_valid_to'];

/** Bytes that a column is computed from later, and no column of the table. */
const transient = (name: string): Column => ({ name, type: 'blob', nullable: true, description: 'Computed from.' });
