import type { Row, Value } from '../core/columnType.ts';
import { recordBatch } from '../core/recordBatch.ts';
import type { Column, Table } from '../core/table.ts';
import type { Warehouse } from './warehouse.ts';

interface WriteOptions {
  /** Columns by which rows replace older ones. */
  readonly by: readonly string[];
  /** Rows of the parent: children of every one of them are replaced, also where none came. */
  readonly parents?: readonly Row[] | undefined;
  /** Replace rows that are there already, equal in every column, too. */
  readonly rewrite?: boolean | undefined;
  /** Leave out rows that equal the row of the same key in another table in these columns. */
  readonly unlessSame?: { readonly as: string; readonly key: readonly string[]; readonly columns: readonly string[] };
}

/**
 * Writes rows inside the open transaction, replacing those with the same key. Rows that are there already, equal in every
 * column, are left alone: a page read twice changes nothing. The search for them is limited to the batch's own range of the
 * table's range column: without that, and without indexes, the cost of a batch would grow with the table.
 *
 * @returns rows written
 */
export async function writeRows(
  warehouse: Warehouse,
  table: Table,
  rows: readonly Row[],
  options: WriteOptions,
): Promise<number> {
  const unique = lastOfKey(rows, table.key);
  const replaced = options.parents ?? unique;
  if (replaced.length === 0) return 0;
  // Revisions are only ever added to. Most other batches are new: one look at the range spares them the search by key.
  if (!options.unlessSame) {
    const range = rangeCondition(table, replaced);
    const found = await warehouse.query(`SELECT 1 AS one FROM ${table.name} AS old WHERE ${range} LIMIT 1`);
    if (found.length > 0) return replaceRows(warehouse, table, unique, replaced, range, options);
  }
  if (unique.length === 0) return 0;
  return withBatch(warehouse, table.columns, unique, (from) =>
    changes(
      warehouse,
      `INSERT INTO ${table.name} SELECT ${columnList(table)} FROM ${from} AS new${unlessSame(options)}`,
    ),
  );
}

async function replaceRows(
  warehouse: Warehouse,
  table: Table,
  rows: readonly Row[],
  replaced: readonly Row[],
  range: string,
  { by, rewrite }: WriteOptions,
): Promise<number> {
  const keyColumns = by.map((name) => columnOf(table, name));
  const keys = lastOfKey(
    replaced.map((row) => Object.fromEntries(by.map((name) => [name, row[name] as Value]))),
    by,
  );
  const sameKey = by.map((name) => `old."${name}" = gone."${name}"`).join(' AND ');
  const content = table.columns.filter(({ name }) => name !== '_load_id');
  const equal = content.map(({ name }) => `old."${name}" IS NOT DISTINCT FROM new."${name}"`).join(' AND ');
  const same = rewrite ? 'false' : equal;
  await withBatch(warehouse, table.columns, rows, (from) =>
    warehouse.run(`CREATE OR REPLACE TEMP TABLE firn_fresh AS SELECT * FROM ${from}`),
  );
  await withBatch(warehouse, keyColumns, keys, (from) =>
    warehouse.run(
      `DELETE FROM ${table.name} AS old USING ${from} AS gone WHERE ${range} AND ${sameKey}
       AND NOT EXISTS (SELECT 1 FROM temp.firn_fresh AS new WHERE ${same})`,
    ),
  );
  await warehouse.run(
    `DELETE FROM temp.firn_fresh AS new WHERE EXISTS (SELECT 1 FROM ${table.name} AS old WHERE ${range} AND ${same})`,
  );
  const written = await changes(
    warehouse,
    `INSERT INTO ${table.name} SELECT ${columnList(table)} FROM temp.firn_fresh AS new`,
  );
  await warehouse.run('DROP TABLE temp.firn_fresh');
  return written;
}

function columnOf(table: Table, name: string): Column {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (!column) throw new TypeError(`table ${table.name} has no column ${name}`);
  return column;
}

/** Offers rows to SQL for the time of one statement. */
async function withBatch<T>(
  warehouse: Warehouse,
  columns: readonly Column[],
  rows: readonly Row[],
  use: (from: string) => Promise<T>,
): Promise<T> {
  const offered = warehouse.scanner.offer(columns, recordBatch(columns, rows));
  try {
    return await use(offered.from);
  } finally {
    offered.release();
  }
}

/** Rows that an INSERT wrote. */
async function changes(warehouse: Warehouse, insert: string): Promise<number> {
  const [row] = await warehouse.query<{ Count: bigint }>(insert);
  return Number(row?.Count ?? 0n);
}

const columnList = (table: Table) => table.columns.map(({ name }) => `new."${name}"`).join(', ');

function unlessSame({ unlessSame: same }: WriteOptions): string {
  if (!same) return '';
  const equal = [...same.key, ...same.columns].map((name) => `old."${name}" IS NOT DISTINCT FROM new."${name}"`);
  return ` WHERE NOT EXISTS (SELECT 1 FROM ${same.as} AS old WHERE ${equal.join(' AND ')})`;
}

/** A page may hold the same record twice: the later one stays, at the place of the first. */
function lastOfKey(rows: readonly Row[], key: readonly string[]): readonly Row[] {
  if (key.length === 0) return rows;
  // What all rows share tells none apart, and mostly one column is left: its values are keys as they are.
  const telling = key.filter((name) => rows.some((row) => row[name] !== rows[0]?.[name]));
  const [only] = telling.length === 1 ? telling : [];
  const byKey = new Map<unknown, Row>();
  for (const row of rows) byKey.set(only === undefined ? keyText(row, telling) : row[only], row);
  return byKey.size === rows.length ? rows : [...byKey.values()];
}

function keyText(row: Row, key: readonly string[]): string {
  let text = '';
  for (const name of key) text += `${String(row[name])}\u0000`;
  return text;
}

/** Bounds of a numeric or time column over the rows, as SQL literals. */
function boundsOf(rows: readonly Row[], column: string): { low: string; high: string } | undefined {
  let low: number | bigint | undefined;
  let high: number | bigint | undefined;
  for (const row of rows) {
    const value = row[column];
    if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
    if (low === undefined || value < low) low = value;
    if (high === undefined || value > high) high = value;
  }
  return low === undefined || high === undefined ? undefined : { low: String(low), high: String(high) };
}

function rangeCondition(table: Table, rows: readonly Row[]): string {
  const conditions = table.key.flatMap((name) => constantCondition(name, rows));
  const bounds = table.range === undefined ? undefined : boundsOf(rows, table.range);
  if (bounds) {
    const isTime = table.columns.find(({ name }) => name === table.range)?.type === 'timestamp';
    const literal = (value: string) => (isTime ? `make_timestamp(${value})` : value);
    conditions.push(`old."${table.range}" BETWEEN ${literal(bounds.low)} AND ${literal(bounds.high)}`);
  }
  return conditions.join(' AND ') || 'true';
}

/** Text that all rows share: the partition's values, so that another chain's heights do not count as found. */
function constantCondition(name: string, rows: readonly Row[]): string[] {
  const first = rows[0]?.[name];
  if (typeof first !== 'string' || !rows.every((row) => row[name] === first)) return [];
  return [`old."${name}" = '${first.replaceAll("'", "''")}'`];
}
