import { join } from 'node:path';
import { duckdbType } from '../../core/columnType.ts';
import { identifier, literal } from '../../core/sqlText.ts';
import { type Partition, type Position, partitionKey, type Stream } from '../../core/stream.ts';
import type { Table } from '../../core/table.ts';
import { tablesOf } from '../../core/tablesOf.ts';
import { readCheckpoint } from '../../load/checkpoints.ts';
import type { Transaction } from '../../load/transaction.ts';
import type { LedgerCommit, LoadNotes, Note } from '../contract.ts';

/** A batch on its way out of the database that it was written into. */
export interface ExportedBatch {
  readonly to: Position | null;
  readonly files: readonly { readonly table: string; readonly path: string; readonly rows: number }[];
  readonly notes: LoadNotes;
  readonly ends: LedgerCommit['ends'];
}

/**
 * Writes the rows of the open transaction as Parquet, a file a table, and reads what its load tells: all that a commit on one machine would
 * make durable, under the id of the batch.
 *
 * @param first position that the batch begins at, of streams by position
 */
export async function exportBatch(
  tx: Transaction,
  {
    stream,
    partition,
    id,
    folder,
    first,
  }: { stream: Stream; partition: Partition; id: number; folder: string; first: number | undefined },
): Promise<ExportedBatch> {
  const tables = tablesOf([stream]);
  const counts = await tx.query<{ name: string; rows: bigint }>(
    tables.map(({ name }) => `SELECT ${literal(name)} AS name, count(*) AS rows FROM ${name}`).join(' UNION ALL '),
  );
  const files: { table: string; path: string; rows: number }[] = [];
  for (const table of tables) {
    const rows = Number(counts.find(({ name }) => name === table.name)?.rows);
    if (rows === 0) continue;
    const path = join(folder, `${id}-${table.name}.parquet`);
    await tx.run(copySql(table, id, path));
    files.push({ table: table.name, path, rows });
  }
  const to = await readCheckpoint(tx, stream.id, partitionKey(partition));
  return { to, files, notes: await notesOf(tx, id), ends: await endsOf(tx, stream, first, to) };
}

/** Unsigned integers go to a type that every reader holds exactly. `firn_row` counts the rows of the file. */
function copySql({ name, columns }: Table, id: number, path: string): string {
  const selected = columns.map((column) => {
    const own = identifier(column.name);
    if (column.name === '_load_id') return `${id}::BIGINT AS ${own}`;
    return duckdbType(column.type) === 'UBIGINT' ? `${own}::DECIMAL(20, 0) AS ${own}` : own;
  });
  selected.push(`${id}::BIGINT AS firn_batch`, 'row_number() OVER () - 1 AS firn_row');
  return `COPY (SELECT ${selected.join(', ')} FROM ${name}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`;
}

/** Rows of firn's own tables, as PostgreSQL takes them. */
async function notesOf(tx: Transaction, id: number): Promise<LoadNotes> {
  const rows = async (sql: string) => (await tx.query(sql)).map(plain);
  return {
    load: await rows(`SELECT * REPLACE (${id} AS load_id) FROM firn.load`),
    quarantine: await rows(
      `SELECT * EXCLUDE (id) REPLACE (${id} AS load_id, ${id} AS last_load_id) FROM firn.quarantine`,
    ),
    schema_change: await rows(`SELECT * REPLACE (${id} AS load_id) FROM firn.schema_change`),
    gap: await rows(`SELECT * REPLACE (${id} AS load_id) FROM firn.gap`),
  };
}

const plain = (row: Record<string, unknown>): Note =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  ) as Note;

/** Columns of a tip: what names a row, and not what it holds. */
const namingTypes = new Set(['varchar', 'bigint', 'ubigint', 'integer']);
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
  const named = table.columns.filter(
    ({ name, type }) => namingTypes.has(type) && String(tail[name] ?? '').length <= longestName,
  );
  const isBeside = Number(head[position]) === first;
  const endsHere = Number(tail[position]) === Number(to?.['next']) - 1;
  return {
    parent: link && isBeside ? ((head[link.parent] as string | null) ?? null) : null,
    id: link && endsHere ? ((tail[link.id] as string | null) ?? null) : null,
    tip: plain(Object.fromEntries(named.map(({ name }) => [name, tail[name]]))),
  };
}
