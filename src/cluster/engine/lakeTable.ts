import type { ColumnType } from '../../core/columns/columnType.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import { sha256 } from '../../load/sha256.ts';
import type { LakeTable } from '../contract.ts';

/** The columns that identify every row of a table: its batch, and its place in it, from 0. */
const ownColumns = [
  { name: 'firn_batch', type: 'bigint' },
  { name: 'firn_row', type: 'bigint' },
] as const;

/** All columns of a table as it is kept. */
export const keptColumns = ({
  columns,
}: LakeTable): readonly { readonly name: string; readonly type: ColumnType }[] => [...columns, ...ownColumns];

/** The name under which rows are kept that newer ones replace. */
export const batchesName = (name: string): string => `${name}_batches`;

/** Where the rows of a table are kept: under another name, where newer rows replace older ones and readers see a view of it. */
export const keptName = ({ name, replacedBy }: LakeTable): string => (replacedBy ? batchesName(name) : name);

/** The name under which rows are kept that were read again. */
export const againName = (name: string): string => `${name}_again`;

/** The name by which readers know what is kept under a name. */
export const shownName = (kept: string): string => kept.replace(/_batches$/, '').replace(/_again$/, '');

/** Tables as batches fill them: also those of what was read again. */
export const filledTables = (tables: readonly LakeTable[]): LakeTable[] =>
  tables.flatMap((table) => (table.again ? [table, table.again] : [table]));

/** How SQL reads a table that is not there: its columns, and no row. */
export const noRows = (table: LakeTable, types: (type: ColumnType) => string): string =>
  `(SELECT ${keptColumns(table)
    .map(({ name, type }) => `CAST(NULL AS ${types(type)}) AS ${identifier(name)}`)
    .join(', ')} WHERE false)`;

/** What readers see of a table in which newer batches replace older ones: rows of the newest batch that has any with the same key. */
export function newestRows(
  { columns, replacedBy = [], parent }: LakeTable,
  kept: string,
  called = (relation: string) => relation,
): string {
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  const key = replacedBy.map(identifier).join(', ');
  if (parent === undefined)
    return `SELECT ${names}, firn_batch, firn_row FROM (
  SELECT *, max(firn_batch) OVER (PARTITION BY ${key}) AS firn_newest FROM ${kept}
) AS every WHERE firn_batch = firn_newest`;
  // A parent that was read again and had no children then has none.
  return `SELECT ${names}, firn_batch, firn_row FROM ${kept} AS every WHERE (${key}, firn_batch) IN (
  SELECT ${key}, max(firn_batch) FROM ${called(keptName(parent))} GROUP BY ${key}
)`;
}

/** Positions that were read again: a condition on them, and whether each was once, so that no row of them replaces another one. */
export interface Replaced {
  readonly where: string;
  readonly isOnce: boolean;
}

/**
 * What readers see of a table some of whose positions were read again: the rows that were, and of all other positions its own. Undefined where nothing was.
 *
 * @param isThere whether a table is there; one that is not has no rows
 * @param called how SQL calls what is kept under a name
 * @param replaced what is known of the positions; the statement finds it out where it is left out
 */
export function rowsReadAgain(
  table: LakeTable,
  isThere: (table: LakeTable) => boolean,
  called = (relation: string) => relation,
  replaced?: Replaced,
): string | undefined {
  const { columns, again } = table;
  if (!again) return undefined;
  const { parent = again, replacedBy = [] } = again;
  if (!isThere(parent)) return undefined;
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  const key = replacedBy.map(identifier).join(', ');
  // Not by a condition that none exists, for which Trino groups these first: that takes twice the stages.
  const others = replaced
    ? `NOT (${replaced.where})`
    : `(${key}) NOT IN (SELECT ${key} FROM ${called(keptName(parent))})`;
  const own = `SELECT ${names}, firn_batch, firn_row FROM ${called(table.name)} AS once WHERE ${others}`;
  const kept = called(keptName(again));
  const newest = replaced?.isOnce
    ? `SELECT ${names}, firn_batch, firn_row FROM ${kept} AS again`
    : newestRows(again, kept, called);
  const each = [...(isThere(table) ? [own] : []), ...(isThere(again) ? [newest] : [])];
  return each.length > 0 ? each.join('\nUNION ALL\n') : undefined;
}

/**
 * The statement that makes rows part of a table once, however often and by however many it is run. The constant range of batches is what
 * a concurrent commit conflicts with. The branch of matched rows is never taken: with it an engine checks the rows of other commits,
 * which some leave out where rows are only added.
 *
 * @param source a query that gives the columns by name
 */
export function mergeSql(
  table: string,
  columns: readonly string[],
  source: string,
  batches: readonly number[],
): string {
  const names = columns.map(identifier);
  return `MERGE INTO ${table} AS t USING (${source}) AS s
ON t.firn_batch BETWEEN ${Math.min(...batches)} AND ${Math.max(...batches)} AND t.firn_batch = s.firn_batch AND t.firn_row = s.firn_row
WHEN MATCHED AND t.firn_row < 0 THEN DELETE
WHEN NOT MATCHED THEN INSERT (${names.join(', ')}) VALUES (${names.map((name) => `s.${name}`).join(', ')})`;
}

/** Where a lake says which warehouse it is. */
export const markTable = 'firn.warehouse';

/** The statement that marks a lake which has no mark. */
export const markSql = (table: string, warehouse: string): string =>
  `MERGE INTO ${table} AS t USING (SELECT ${literal(warehouse)} AS id) AS s ON t.id IS NOT NULL
WHEN MATCHED AND t.id IS NULL THEN DELETE
WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)`;

/** By this a view is recognised as showing a SELECT already. */
export const hashOfView = (sql: string): string => sha256(sql).slice(0, 32);

/** Whether a comment of a view is such a hash: of others nobody knows who made them. */
export const isHashOfView = (comment: string): boolean => /^[0-9a-f]{32}$/.test(comment);
