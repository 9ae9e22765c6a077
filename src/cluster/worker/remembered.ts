import type { Table } from '../../core/columns/table.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import { type PagedStream, type Stream, tablesOf, timeOf } from '../../core/stream/stream.ts';
import { identifier } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { cursorsOf, heldBelow, placeOf } from '../../run/read/lookBack.ts';

/** A table whose rows a read compares with the answers, and which of them these are. */
export interface Kept {
  readonly table: Table;
  readonly where: string;
}

/** The tables of a stream whose current rows a read compares with the answers: those with a history, and those with revisions. */
export function remembered(stream: Stream): Table[] {
  const { way, table, revisions } = stream;
  if (revisions) return [table];
  return way === 'snapshot' ? tablesOf([stream]) : [];
}

/**
 * The rows of such a table that a read compares with: the current ones.
 *
 * @param own condition on the rows of the partition, where the table holds others too
 */
export function currentRows({ name, columns }: Table, own = 'true'): string {
  const has = (column: string) => columns.some((candidate) => candidate.name === column);
  if (has('_valid_to')) return '_valid_to IS NULL';
  return has('day') ? `"day" = (SELECT max("day") FROM ${name} WHERE ${own})` : 'true';
}

/** Whether the next read of a stream meets rows again that the last one read, those right below its cursors, and their times say how far that goes. */
export const meetsAgain = (stream: Stream): stream is PagedStream =>
  'looksBack' in stream && stream.looksBack !== undefined && timeOf(stream) !== undefined;

/**
 * The rows of a list that the next read meets again: below its cursors, and below the newest row, which the cursor may become, as far as the
 * partition looks back and the next one before. Rows of children are kept with theirs.
 *
 * @param to where the partition stands
 */
export async function rowsNear(
  { query }: Pick<Statements, 'query'>,
  stream: PagedStream,
  partition: Partition,
  to: Position | null,
): Promise<Kept[]> {
  const { table, children } = stream;
  const { place, at, cursor: cursorOf } = placeOf(stream);
  const [row] = await query<{ newest: string | null }>(
    `SELECT CAST(max(${place}) AS VARCHAR) AS newest FROM ${table.name}`,
  );
  const places = new Set([...cursorsOf(stream, to ?? {}), ...(row?.newest ? [cursorOf(row.newest)] : [])]);
  const near = ['false'];
  for (const last of places) {
    const { begin } = await heldBelow(stream, partition, last, query);
    near.push(begin === null ? `${place} <= ${at(last)}` : `${place} BETWEEN ${at(begin)} AND ${at(last)}`);
  }
  const where = near.join(' OR ');
  const ofChildren = Object.values(children).map(({ table: child }): Kept => {
    const shared = table.key.filter((name) => child.columns.some((column) => column.name === name)).map(identifier);
    return {
      table: child,
      where: `(${shared.join(', ')}) IN (SELECT (${shared.join(', ')}) FROM ${table.name} WHERE ${where})`,
    };
  });
  return [{ table, where }, ...ofChildren];
}
