import type { Column, Table } from '../../core/columns/table.ts';
import { contentOf } from '../../core/parse/rowSet.ts';
import type { Declared } from '../../core/stream/stream.ts';
import { identifier, sameRow } from '../../core/text/sqlText.ts';

/** A table of a stream, and where rows of a snapshot gather for it. */
export interface Staged {
  /** Null for the stream's own table. */
  readonly child: string | null;
  readonly table: Table;
  readonly stage: string;
  readonly columns: readonly Column[];
}

/** The tables of a stream, its own first. @param prefix what the names of the temporary ones begin with */
export function stagedTables({ table, children }: Declared, prefix: string): readonly [Staged, ...Staged[]] {
  const staged = (child: string | null, table: Table, number: number): Staged => ({
    child,
    table,
    stage: `${prefix}_${number}`,
    columns: contentOf(table).filter(({ name }) => !name.startsWith('_valid_')),
  });
  return [
    staged(null, table, 0),
    ...Object.entries(children).map(([name, child], i) => staged(name, child.table, i + 1)),
  ];
}

/** The columns of a table's key, in SQL. */
export const keyOf = (table: Table) => table.key.map(identifier).join(', ');

/** Whether the snapshot has a row of the key of a current one (`old`), in SQL. */
export const isListed = ({ table, stage }: Staged) =>
  `EXISTS (SELECT 1 FROM ${stage} AS new WHERE ${sameRow('new', 'old', table.key)})`;

/** Whether neither this snapshot nor the one read before has it. */
export const isInNeither = (staged: Staged, before: Staged | undefined) =>
  [staged, ...(before ? [before] : [])].map((one) => `NOT ${isListed(one)}`).join(' AND ');
