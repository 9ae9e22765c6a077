import type { RecordBatch } from 'apache-arrow';
import type { Row } from '../core/columnType.ts';
import { literal } from '../core/sqlText.ts';
import type { Column, Table } from '../core/table.ts';
import { changedRows } from './changedRows.ts';
import type { Warehouse } from './warehouse.ts';

/** What is to be written into one table. */
export interface Write {
  readonly table: Table;
  readonly rows: readonly Row[];
  /** Columns by which rows replace older ones. */
  readonly by: readonly string[];
  /** The write of the parent: children of every one of its rows are replaced, also where none came. */
  readonly parent?: Write | undefined;
  /** Replace rows that are there already, equal in every column, too. */
  readonly rewrite?: boolean | undefined;
  /** Leave out rows that equal the row of the same key in another table in these columns. */
  readonly unlessSame?: { readonly as: string; readonly key: readonly string[]; readonly columns: readonly string[] };
}

/** A write whose rows lie ready for DuckDB. */
export interface ReadyWrite extends Omit<Write, 'rows' | 'parent'> {
  /** The last row of each key, but for the number of the load. */
  readonly batch: RecordBatch;
  /** Rows by which older ones are replaced, where they are not the write's own. */
  readonly parent: Pick<ReadyWrite, 'table' | 'batch'> | undefined;
  /** Where older ones can lie, as a condition on `old`. */
  readonly range: string;
}

/**
 * Makes Arrow batches of rows. This is the part of a commit that keeps JavaScript busy: done before the transaction, it goes
 * on while DuckDB commits the batch before.
 */
export async function prepareWrites(writes: readonly Write[]): Promise<ReadyWrite[]> {
  if (writes.every(({ rows, parent }) => (parent?.rows ?? rows).length === 0)) return [];
  // Arrow takes long to load: a run without rows does without.
  const { recordBatch } = await import('../core/recordBatch.ts');
  const range = createRanges();
  const ready = new Map<Write, ReadyWrite>();
  for (const write of writes) {
    // Without the rows: what is ready must not keep them in memory.
    const { rows, parent, ...rest } = write;
    const searched = parent?.rows ?? rows;
    if (searched.length === 0) continue;
    const batch = recordBatch(contentOf(rest.table), lastOfKey(rows, rest.table.key));
    ready.set(write, { ...rest, batch, parent: parent && ready.get(parent), range: range(rest, searched) });
  }
  return [...ready.values()];
}

/**
 * Writes rows inside the open transaction, replacing those with the same key. Rows that are there already, equal in every
 * column, are left alone: a page read twice changes nothing. The search for them is limited to the batch's own range of the
 * table's range column: without that, and without indexes, the cost of a batch would grow with the table.
 *
 * @returns rows written
 */
export async function writeRows(warehouse: Warehouse, writes: readonly ReadyWrite[], loadId: number): Promise<number> {
  const met = await tablesWithRows(warehouse, writes);
  let written = 0;
  for (const write of writes) {
    if (met.has(write.table.name)) written += await replaceRows(warehouse, write, loadId);
    else if (write.batch.numRows > 0) written += await insertRows(warehouse, write, loadId);
  }
  return written;
}

/** Tables that have rows in the range of their write. Most batches are new: one look spares them the search by key. */
async function tablesWithRows(warehouse: Warehouse, writes: readonly ReadyWrite[]): Promise<ReadonlySet<string>> {
  // Revisions are only ever added to.
  const looks = writes
    .filter(({ unlessSame }) => !unlessSame)
    .map(({ table, range }) => `(SELECT '${table.name}' AS name FROM ${table.name} AS old WHERE ${range} LIMIT 1)`);
  const met = looks.length === 0 ? [] : await warehouse.query<{ name: string }>(looks.join(' UNION ALL '));
  return new Set(met.map(({ name }) => name));
}

function insertRows(warehouse: Warehouse, write: ReadyWrite, loadId: number): Promise<number> {
  const { table, unlessSame } = write;
  return withBatch(warehouse, write, (from) =>
    changedRows(
      warehouse,
      `INSERT INTO ${table.name} BY NAME SELECT ${columnList(table, loadId)} FROM ${from} AS new${unlessSame ? whereNotSame(unlessSame) : ''}`,
    ),
  );
}

async function replaceRows(warehouse: Warehouse, write: ReadyWrite, loadId: number): Promise<number> {
  const { table, by, range, rewrite } = write;
  const isNullable = (name: string) => table.columns.find((column) => column.name === name)?.nullable;
  const sameKey = by
    .map((name) => `old."${name}" ${isNullable(name) ? 'IS NOT DISTINCT FROM' : '='} gone."${name}"`)
    .join(' AND ');
  const content = contentOf(table).map(({ name }) => `old."${name}" IS NOT DISTINCT FROM new."${name}"`);
  const same = rewrite ? 'false' : content.join(' AND ');
  await withBatch(warehouse, write, (from) =>
    warehouse.run(`CREATE OR REPLACE TEMP TABLE firn_fresh AS SELECT ${columnList(table, loadId)} FROM ${from} AS new`),
  );
  const gone = await withBatch(warehouse, write.parent ?? write, (from) =>
    changedRows(
      warehouse,
      `DELETE FROM ${table.name} AS old USING ${from} AS gone WHERE ${range} AND ${sameKey}
       AND NOT EXISTS (SELECT 1 FROM temp.firn_fresh AS new WHERE ${same})`,
    ),
  );
  await warehouse.run(
    `DELETE FROM temp.firn_fresh AS new WHERE EXISTS (SELECT 1 FROM ${table.name} AS old WHERE ${range} AND ${same})`,
  );
  const written = await changedRows(warehouse, `INSERT INTO ${table.name} BY NAME SELECT * FROM temp.firn_fresh`);
  await warehouse.run('DROP TABLE temp.firn_fresh');
  // That a parent has fewer children than before is a change too.
  return written > 0 ? written : gone;
}

/** Offers rows to SQL for the time of one statement. */
export async function withBatch<T>(
  warehouse: Warehouse,
  { table, batch }: Pick<ReadyWrite, 'table' | 'batch'>,
  use: (from: string) => Promise<T>,
): Promise<T> {
  const offered = warehouse.scanner.offer(contentOf(table), batch);
  try {
    return await use(offered.from);
  } finally {
    offered.release();
  }
}

/** The number of the load is known only inside the transaction: SQL puts it in. Names count: columns added later stand last. */
const loadColumn = '_load_id';
const contentOf = (table: Table): readonly Column[] => table.columns.filter(({ name }) => name !== loadColumn);
const columnList = (table: Table, loadId: number) =>
  table.columns
    .map(({ name }) => (name === loadColumn ? `${loadId}::BIGINT AS ${loadColumn}` : `new."${name}" AS "${name}"`))
    .join(', ');

function whereNotSame({ as, key, columns }: NonNullable<Write['unlessSame']>): string {
  const equal = [...key, ...columns].map((name) => `old."${name}" IS NOT DISTINCT FROM new."${name}"`);
  return ` WHERE NOT EXISTS (SELECT 1 FROM ${as} AS old WHERE ${equal.join(' AND ')})`;
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

/** Says where rows lie, as a condition on `old`. Children share their parent's rows: a column is looked through once. */
function createRanges(): (write: Pick<Write, 'table' | 'by'>, rows: readonly Row[]) => string {
  const known = new Map<readonly Row[], Map<string, Extent | undefined>>();
  const extent = (rows: readonly Row[], column: string): Extent | undefined => {
    const ofRows = known.get(rows) ?? new Map<string, Extent | undefined>();
    known.set(rows, ofRows);
    if (!ofRows.has(column)) ofRows.set(column, extentOf(rows, column));
    return ofRows.get(column);
  };
  return ({ table: { range, columns }, by }, rows) => {
    const conditions: string[] = [];
    for (const name of by) {
      // Text that all rows share: the partition's values, so that another chain's heights do not count as found.
      const shared = typeof rows[0]?.[name] === 'string' ? extent(rows, name) : undefined;
      if (shared && 'only' in shared) conditions.push(`old."${name}" = ${literal(shared.only)}`);
    }
    const bounds = range === undefined ? undefined : extent(rows, range);
    if (bounds && 'low' in bounds) {
      const isTime = columns.find(({ name }) => name === range)?.type === 'timestamp';
      const literal = (value: number | bigint) => (isTime ? `make_timestamp(${value})` : String(value));
      conditions.push(`old."${range}" BETWEEN ${literal(bounds.low)} AND ${literal(bounds.high)}`);
    }
    return conditions.join(' AND ') || 'true';
  };
}

/** What the values of a column have in common: one text, or bounds. */
type Extent = { readonly only: string } | { readonly low: number | bigint; readonly high: number | bigint };

function extentOf(rows: readonly Row[], column: string): Extent | undefined {
  const first = rows[0]?.[column];
  if (typeof first === 'string') return rows.every((row) => row[column] === first) ? { only: first } : undefined;
  if (typeof first !== 'number' && typeof first !== 'bigint') return undefined;
  let [low, high] = [first, first];
  for (const row of rows) {
    const value = row[column];
    if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}
