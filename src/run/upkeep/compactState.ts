import { chmod } from 'node:fs/promises';
import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import { renameDurably } from '../../disk/durable.ts';
import { removeDatabase } from '../../load/database/removeDatabase.ts';
import { diskError } from '../../load/diskError.ts';
import { stateFile } from '../../load/state/stateFile.ts';
import { stateStorage, type Warehouse } from '../../load/state/warehouse.ts';

/** Bytes of the state database before and after. */
export interface Compacted {
  readonly before: number;
  readonly after: number;
}

/** The moments after which a kill leaves another state; tests kill there. */
export type CompactStep = 'copied' | 'renamed';

export interface CompactOptions {
  /** A smaller file is left alone. Default: 64 MiB. */
  readonly least?: number;
  readonly failAt?: (step: CompactStep) => void | Promise<void>;
}

/** Share of free blocks from which on a file is rewritten. It bounds the work too: for each four bytes copied, at least one had been freed. */
const mostFree = 0.2;

/**
 * Rewrites the state database where much of its file is free: DuckDB gives back only what lies at the file's end, and keeps rows that
 * came in small loads in blocks of their own. The copy is whole and on the disk before it takes the file's name, so that a kill at any moment
 * leaves one of them, and nobody can open either before this process lets go. What is open afterwards is the copy: close the warehouse.
 *
 * @returns undefined where there was nothing to gain
 * @throws FirnError `disk`; `failed` where the copy is not what was copied. The file is as it was then
 */
export async function compactState(
  warehouse: Warehouse,
  { least = 64 * 2 ** 20, failAt }: CompactOptions = {},
): Promise<Compacted | undefined> {
  const file = stateFile(warehouse.folder);
  const copy = `${file}.compact`;
  await removeDatabase(copy);
  await warehouse.run('CHECKPOINT state');
  const before = await sizeOf(warehouse, 'state');
  // Windows cannot rename over an open file.
  if (before.bytes < least || before.free < mostFree || process.platform === 'win32') return undefined;
  try {
    await warehouse.run(`ATTACH ${literal(copy)} AS compact (${stateStorage})`);
    // A checkpoint syncs the file. Opening it here to do so would, when it is closed again, take DuckDB's lock away: locks are the process's.
    await warehouse.run('COPY FROM DATABASE state TO compact; CHECKPOINT compact');
    if ((await contentOf(warehouse, 'state')) !== (await contentOf(warehouse, 'compact')))
      throw new FirnError('failed', `A copy of ${file} is not what was copied. The file stays as it is.`);
    const after = await sizeOf(warehouse, 'compact');
    await failAt?.('copied');
    await chmod(copy, 0o600);
    await renameDurably(copy, file);
    await failAt?.('renamed');
    // The old file is closed first: once the new one is free, its write-ahead log may belong to another process.
    await warehouse.run('USE compact; DETACH state');
    return { before: before.bytes, after: after.bytes };
  } catch (error) {
    await warehouse.run('DETACH compact').catch(() => {});
    await removeDatabase(copy);
    // What the writer says of it is that the warehouse could not be written, which it was.
    throw diskError((error as Error).cause ?? error, `rewrite ${file} without its free blocks`);
  }
}

async function sizeOf(warehouse: Warehouse, database: string): Promise<{ bytes: number; free: number }> {
  const [size] = await warehouse.query<{ block: bigint; total: bigint; free: bigint }>(
    `SELECT block_size AS block, total_blocks AS total, free_blocks AS free FROM pragma_database_size() WHERE database_name = ${literal(database)}`,
  );
  const { block = 0n, total = 0n, free = 0n } = size ?? {};
  return { bytes: Number(block * total), free: Number(free) / Math.max(1, Number(total)) };
}

/** A database as text: its catalogue with all comments, and the number of rows of every table. */
async function contentOf(warehouse: Warehouse, database: string): Promise<string> {
  const of = `database_name = ${literal(database)}`;
  const tables = await warehouse.query<{ name: string }>(
    `SELECT format('"{}"."{}"', schema_name, table_name) AS name FROM duckdb_tables() WHERE ${of} ORDER BY 1`,
  );
  // Of a thousand tables: as so many subqueries they would be nested deeper than DuckDB allows.
  const counts = tables.map(
    ({ name }) => `SELECT ${literal(name)} AS name, count(*) AS "rows" FROM ${database}.${name}`,
  );
  const [row] = await warehouse.query<{ content: string }>(
    `SELECT concat_ws(' ',
       (SELECT sum(hash(name, "rows")) FROM (${counts.join(' UNION ALL ')})),
       (SELECT sum(hash(schema_name, view_name, sql, "comment")) FROM duckdb_views() WHERE ${of} AND NOT internal),
       (SELECT sum(hash(schema_name, table_name, sql, "comment")) FROM duckdb_tables() WHERE ${of}),
       (SELECT sum(hash(schema_name, table_name, column_name, "comment")) FROM duckdb_columns() WHERE ${of}),
       (SELECT sum(hash(schema_name, function_name, parameters, macro_definition)) FROM duckdb_functions() WHERE ${of})) AS content`,
  );
  return `${tables.length} ${row?.content}`;
}
