import type { Row, Value } from '../core/columnType.ts';
import { recordBatch } from '../core/recordBatch.ts';
import type { Table } from '../core/table.ts';
import type { Warehouse } from './warehouse.ts';

interface WriteOptions {
  /** Columns by which rows replace older ones. */
  readonly by: readonly string[];
  /** Rows of the parent: children of every one of them are replaced, also where none came. */
  readonly parents?: readonly Row[] | undefined;
  /** Leave out rows that equal the row of the same key in another table in these columns. */
  readonly unlessSame?: { readonly as: string; readonly key: readonly string[]; readonly columns: readonly string[] };
}

/**
 * Writes rows inside the open transaction, replacing those with the same key. The search for them is limited to the
 * batch's own range of the table's range column: without that, and without indexes, the cost of a batch would grow with the table.
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
  if (replaced.length > 0 && (await anyInRange(warehouse, table, replaced))) {
    await deleteKeys(warehouse, table, replaced, options.by);
  }
  if (unique.length === 0) return 0;
  const offered = warehouse.scanner.offer(table.columns, recordBatch(table.columns, unique));
  try {
    await warehouse.run(
      `INSERT INTO ${table.name} SELECT ${columnList(table)} FROM ${offered.from} AS new${unlessSame(options)}`,
    );
  } finally {
    offered.release();
  }
  return unique.length;
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
  const byKey = new Map<string, Row>();
  for (const row of rows) byKey.set(keyText(row, key), row);
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

/** Most batches are new: one look at the range spares them the search by key. */
async function anyInRange(warehouse: Warehouse, table: Table, rows: readonly Row[]): Promise<boolean> {
  const found = await warehouse.query(
    `SELECT 1 AS one FROM ${table.name} AS old WHERE ${rangeCondition(table, rows)} LIMIT 1`,
  );
  return found.length > 0;
}

async function deleteKeys(
  warehouse: Warehouse,
  table: Table,
  rows: readonly Row[],
  by: readonly string[],
): Promise<void> {
  const columns = by.map((name) => {
    const column = table.columns.find((candidate) => candidate.name === name);
    if (!column) throw new TypeError(`table ${table.name} has no column ${name}`);
    return column;
  });
  const keys = lastOfKey(
    rows.map((row) => Object.fromEntries(by.map((name) => [name, row[name] as Value]))),
    by,
  );
  const offered = warehouse.scanner.offer(columns, recordBatch(columns, keys));
  const equal = by.map((name) => `old."${name}" = gone."${name}"`).join(' AND ');
  try {
    await warehouse.run(
      `DELETE FROM ${table.name} AS old USING ${offered.from} AS gone WHERE ${rangeCondition(table, rows)} AND ${equal}`,
    );
  } finally {
    offered.release();
  }
}
