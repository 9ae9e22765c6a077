import { join } from 'node:path';
import type { Column, Table } from '../../core/columns/table.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import { type PagedStream, type Stream, tablesOf } from '../../core/stream/stream.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import { positionText, readCheckpoint } from '../../load/commit/checkpoints.ts';
import type { Transaction } from '../../load/database/transaction.ts';
import { columnsOf } from '../columnsOf.ts';
import type { LedgerCommit, LoadNotes, Note } from '../contract.ts';
import { againName } from '../engine/lakeTable.ts';
import { plain } from '../ledger/plain.ts';
import { storable } from '../ledger/storable.ts';
import { asParquet, batchRows } from '../stage/asParquet.ts';
import { parquetSql } from '../stage/withParquet.ts';
import { changedGroups } from './changedGroups.ts';
import { currentRows, type Kept, remembered, rowsNear } from './remembered.ts';
import type { Replacing } from './replacing.ts';
import { wholeSql } from './wholeSql.ts';

/** A file on its way to the stage. */
export interface ExportedFile {
  readonly table: string;
  readonly path: string;
  readonly rows: number;
  /** Of rows that go into the lake: the columns that the table has. */
  readonly columns?: readonly string[];
}

/** A batch on its way out of the database that it was written into. */
export interface ExportedBatch {
  readonly to: Position | null;
  readonly files: readonly ExportedFile[];
  /** Rows that the next read compares with; undefined where they are the same as before. */
  readonly memory: readonly ExportedFile[] | undefined;
  readonly notes: LoadNotes;
  readonly resolved: LedgerCommit['resolved'];
  readonly ends: LedgerCommit['ends'];
}

/** What is exported, and under which id. */
interface Of {
  readonly stream: Stream;
  /** Of the batch, and of its load. */
  readonly id: number;
  readonly folder: string;
  /** Under which its position is kept. */
  readonly checkpointKey: string;
  /** Position that the batch begins at, of a stretch of positions. */
  readonly first: number | undefined;
  /** Of a list of which the next read meets rows again: the partition. */
  readonly again: { readonly stream: PagedStream; readonly partition: Partition } | undefined;
  /** Where its rows take the place of those of the same positions: which of these stay as they are. */
  readonly replacing?: Omit<Replacing, 'isOn'> | undefined;
}

/**
 * Writes the rows of the open transaction's load as Parquet, a file a table, and reads what the load tells: all that a commit on one machine
 * would make durable. The database is then left with what the next batch compares with, and nothing else.
 */
export async function exportBatch(tx: Transaction, of: Of): Promise<ExportedBatch> {
  const { stream, id, first, checkpointKey, again, replacing } = of;
  const tables = tablesOf([stream]);
  const ofChanged = again && (await changedGroups(tx, again.stream, id));
  const rows = await exportTables(tx, of, tables, (table) => ({
    name: `${id}-${table.name}`,
    sql: batchRows(table, id, again ? (column) => ofBatch(column, id) : asParquet),
    where: (ofChanged?.(table) ?? newRows(table, id)) + staying(stream, replacing),
  }));
  const columns = columnsOf(tables);
  const files = rows.map((file) => ({
    ...file,
    table: replacing ? againName(file.table) : file.table,
    columns: columns.get(file.table) ?? [],
  }));
  const to = await readCheckpoint(tx, stream.id, checkpointKey);
  const notes = await notesOf(tx, id, first, replacing !== undefined);
  const resolved = await tx.query<{ known: string }>(
    'SELECT coalesce(record_key, record_hash) AS known FROM firn.quarantine WHERE replayed_at IS NOT NULL',
  );
  const ends = await endsOf(tx, stream, first, to);
  const kept = again
    ? await rowsNear(tx, again.stream, again.partition, to)
    : remembered(stream).map((table): Kept => ({ table, where: currentRows(table) }));
  await forget(tx, tables, kept);
  const keptTables = kept.map(({ table }) => table);
  const changes = files.some(({ table }) => keptTables.some(({ name }) => name === table));
  const memory = changes
    ? await exportTables(tx, of, keptTables, ({ name }) => ({
        name: `memory-${id}-${name}`,
        sql: `SELECT * FROM ${name}`,
        where: 'true',
      }))
    : undefined;
  return { to, files, memory, notes, resolved: resolved.map(({ known }) => known), ends };
}

/** Writes those rows of tables for which a condition holds, where there are any. */
async function exportTables(
  tx: Transaction,
  { folder }: Of,
  tables: readonly Table[],
  how: (table: Table) => { readonly name: string; readonly sql: string; readonly where: string },
): Promise<ExportedFile[]> {
  if (tables.length === 0) return [];
  const exports = tables.map((table) => ({ table: table.name, ...how(table) }));
  const counts = await tx.query<{ name: string; rows: bigint }>(
    exports
      .map(({ table, where }) => `SELECT ${literal(table)} AS name, count(*) AS rows FROM ${table} WHERE ${where}`)
      .join(' UNION ALL '),
  );
  const files: ExportedFile[] = [];
  for (const { table, name, sql, where } of exports) {
    const rows = Number(counts.find((count) => count.name === table)?.rows);
    if (rows === 0) continue;
    const path = join(folder, `${name}.parquet`);
    await tx.run(parquetSql(`${sql} WHERE ${where}`, path));
    files.push({ table, path, rows });
  }
  return files;
}

/** The rows that a load wrote. Of those with a history those too that ended: no ended one was there before. */
const newRows = ({ columns }: Table, id: number): string =>
  `_load_id = ${id}${columns.some(({ name }) => name === '_valid_to') ? ' OR _valid_to IS NOT NULL' : ''}`;

/** Leaves out the rows of positions that stay as they are. */
function staying(stream: Stream, { without = [], unlessWhole = false }: Partial<Replacing> = {}): string {
  if (stream.way !== 'range' || without.length === 0) return '';
  const at = identifier(stream.position);
  const isWhole = unlessWhole ? ` OR ${at} IN (SELECT ${at} FROM (${wholeSql(stream)}) AS whole)` : '';
  return ` AND (${at} NOT IN (${without.join(', ')})${isWhole})`;
}

/** Rows that go into the lake once more, with new ones of their key, are of its batch. */
const ofBatch = (column: Column, id: number): string =>
  column.name === '_load_id' ? `${id}::BIGINT AS _load_id` : asParquet(column);

/** Where the memory of a table lies in the stage: beside the batches, where no engine looks. */
export const memoryOf = (table: string): string => `memory/${table.replace(/^raw\./, '')}`;

/** Leaves of what was written the rows that the next batch compares with. */
async function forget(tx: Transaction, tables: readonly Table[], kept: readonly Kept[]): Promise<void> {
  const statements = tables.map(({ name }) => {
    const where = kept.find(({ table }) => table.name === name)?.where;
    return `DELETE FROM ${name}${where ? ` WHERE NOT (${where})` : ''}`;
  });
  // The ledger adds up how often a record was seen.
  statements.push(
    'DELETE FROM firn.quarantine WHERE replayed_at IS NOT NULL',
    'UPDATE firn.quarantine SET times_seen = 0',
  );
  if (kept.length === 0) statements.push('DELETE FROM firn.load');
  await tx.run(statements.join(';\n'));
}

/** Rows of firn's own tables, as PostgreSQL takes them. */
async function notesOf(tx: Transaction, id: number, first: number | undefined, isAgain: boolean): Promise<LoadNotes> {
  const rows = async (what: string, table: string, by = 'load_id') =>
    (await tx.query(`SELECT ${what} FROM firn.${table} WHERE ${by} = ${id}`)).map(plain);
  return {
    // The first batch of a stretch began at no checkpoint: its loads say which positions they brought all the same.
    load: (await rows('*', 'load')).map((load) => {
      // Positions that are there already lack nothing while these rows are on their way.
      if (isAgain) return { ...load, position_from: null, position_to: null };
      return load['position_from'] === null && first !== undefined
        ? { ...load, position_from: positionText({ next: first }) }
        : load;
    }),
    quarantine: await rows('* EXCLUDE (id)', 'quarantine', 'last_load_id'),
    schema_change: await rows('*', 'schema_change'),
    gap: await rows('*', 'gap'),
    lookup: await rows('*', 'lookup'),
  };
}

/** Columns of a tip: what names a row, and not what it holds. */
const namingTypes = new Set(['varchar', 'bigint', 'ubigint', 'integer']);
export const isNaming = ({ type }: Pick<Column, 'type'>): boolean => namingTypes.has(type);
const longestName = 200;

/** The first and the last row of a batch of a stream by position, as far as what adjoins must fit to them. */
async function endsOf(
  tx: Transaction,
  stream: Stream,
  first: number | undefined,
  to: Position | null,
): Promise<LedgerCommit['ends']> {
  if (stream.way !== 'range' || first === undefined) return undefined;
  const { table, position, link } = stream;
  const row = async (order: 'ASC' | 'DESC') =>
    (await tx.query(`SELECT * FROM ${table.name} ORDER BY ${identifier(position)} ${order} LIMIT 1`))[0];
  const [head, tail] = [await row('ASC'), await row('DESC')];
  if (!head || !tail) return undefined;
  const isBeside = Number(head[position]) === first;
  const endsHere = Number(tail[position]) === Number(to?.['next']) - 1;
  const named = (name: unknown) => (typeof name === 'string' ? storable(name) : null);
  return {
    parent: link && isBeside ? named(head[link.parent]) : null,
    id: link && endsHere ? named(tail[link.id]) : null,
    tip: tipOf(table, tail),
  };
}

/** What of a row names it, and not what it holds. */
export const tipOf = ({ columns }: Pick<Table, 'columns'>, row: Readonly<Record<string, unknown>>): Note =>
  plain(
    Object.fromEntries(
      columns
        .filter((column) => isNaming(column) && String(row[column.name] ?? '').length <= longestName)
        .map(({ name }) => [name, row[name]]),
    ),
  );
