import { holdsTimes } from '../../core/columns/holdsTimes.ts';
import type { Table } from '../../core/columns/table.ts';
import { contentOf } from '../../core/parse/rowSet.ts';
import type { Rows } from '../../core/rows/rows.ts';
import { literal, literalOrNull, sameRow } from '../../core/text/sqlText.ts';
import type { Transaction } from '../database/transaction.ts';
import { dropRepeats } from './dropRepeats.ts';

/** Rows that were new or different: of the stream's own table, and of its children. */
export interface RowCounts {
  readonly rows: number;
  readonly childRows: number;
  /** Rows of the child `keeps.told` that stayed; absent where none did. */
  readonly kept?: number;
  /** Rows of values that are kept which an answer with later ones was the first to leave out; absent where none was. */
  readonly withdrawn?: Withdrawn;
}

/** Rows that were served before, and the time of the first of them [UTC]. */
export interface Withdrawn {
  readonly rows: number;
  readonly first: string;
}

/** What is to be written into one table. */
export interface Write {
  readonly table: Table;
  /** Rows, one part after the other. */
  readonly parts: readonly Rows[];
  /** What all rows have in common: the values of the partition. */
  readonly shared: Readonly<Record<string, string>>;
  /** Columns by which rows replace older ones. */
  readonly by: readonly string[];
  /** The write of the parent: children of every one of its rows are replaced, also where none came. */
  readonly parent?: Write | undefined;
  /** Also replace rows that are there already and equal in every column. */
  readonly rewrite?: boolean | undefined;
  /** Older rows matter from here on, also below the lowest row: the table's range as a number, in Unix seconds where it is a time. */
  readonly from?: number | undefined;
}

/** A write whose rows occur once each, and which knows where older ones can lie. */
export interface ReadyWrite extends Write {
  /** As a condition on `old`. */
  readonly range: string;
}

/**
 * Makes writes ready: the part of a commit that keeps JavaScript busy. Done before the transaction, it goes on while DuckDB
 * commits the batch before.
 */
export function prepareWrites(writes: readonly Write[]): ReadyWrite[] {
  for (const { parts, table } of writes) dropRepeats(parts, table.key);
  return writes
    .filter(({ parts, parent }) => lengthOf(parent?.parts ?? parts) > 0)
    .map((write) => ({ ...write, range: rangeOf(write) }));
}

const lengthOf = (parts: readonly Rows[]) => parts.reduce((sum, { length }) => sum + length, 0);

/** Where rows of the same keys can lie: rows of the same partition, between the lowest, or `from`, and the highest of the table's range. */
function rangeOf({ table, parts, shared, parent, from }: Write): string {
  const conditions = Object.entries(shared).flatMap(([name, value]) =>
    table.key.includes(name) ? [`old."${name}" = ${literal(value)}`] : [],
  );
  const bounds = table.range === undefined ? undefined : extentOf(parent?.parts ?? parts, table.range);
  if (bounds) {
    const isTime = holdsTimes(table, table.range);
    const at = (value: number | bigint) => (isTime ? `make_timestamp(${value})` : String(value));
    const [first, last] = bounds;
    const low = from === undefined ? at(first) : `least(${at(first)}, ${at(isTime ? from * 1e6 : from)})`;
    conditions.push(`old."${table.range}" BETWEEN ${low} AND ${at(last)}`);
  }
  return conditions.join(' AND ') || 'true';
}

/** Lowest and highest value of a column of integers or times; undefined where a row has none. */
export function extentOf(
  parts: readonly Rows[],
  name: string,
): readonly [number | bigint, number | bigint] | undefined {
  let extent: [number | bigint, number | bigint] | undefined;
  for (const rows of parts) {
    const column = rows.column(name);
    if (!column) return undefined;
    for (let row = 0; row < rows.length; row++) {
      if (!column.isValid(row)) return undefined;
      const quick = column.numberAt(row);
      const value = Number.isSafeInteger(quick) ? quick : column.integerAt(row);
      if (!extent) extent = [value, value];
      else if (value < extent[0]) extent[0] = value;
      else if (value > extent[1]) extent[1] = value;
    }
  }
  return extent;
}

/**
 * Writes rows inside the open transaction, replacing those with the same key. Rows that are there already, equal in every
 * column, are left alone: a page read twice changes nothing. The search for them is limited to the batch's own range of the
 * table's range column: without that, and without indexes, the cost of a batch would grow with the table.
 *
 * @param met tables that have rows where these are written
 * @param own name of the stream's own table; the others are its children's
 */
export async function writeRows(
  tx: Transaction,
  writes: readonly ReadyWrite[],
  { loadId, met, own }: { readonly loadId: number; readonly met: ReadonlySet<string>; readonly own: string },
): Promise<RowCounts> {
  const written = { rows: 0, childRows: 0 };
  const count = ({ table }: Write, rows: number) => {
    written[table.name === own ? 'rows' : 'childRows'] += rows;
  };
  for (const write of writes) {
    if (!met.has(write.table.name)) continue;
    const { rows, parents } = await replaceRows(tx, write, loadId);
    count(write, rows);
    count(write.parent ?? write, parents);
  }
  const fresh = writes.filter(({ table, parts }) => !met.has(table.name) && lengthOf(parts) > 0);
  await tx.insert(fresh, ofLoad(loadId));
  for (const write of fresh) count(write, lengthOf(write.parts));
  return written;
}

/** @returns rows of its own that were new, different or gone, and of its parents that changed by that alone */
async function replaceRows(
  tx: Transaction,
  write: ReadyWrite,
  loadId: number,
): Promise<{ readonly rows: number; readonly parents: number }> {
  const { table, by, range, rewrite, parent } = write;
  const isNullable = (name: string) => table.columns.find((column) => column.name === name)?.nullable;
  const sameKey = by
    .map((name) => `old."${name}" ${isNullable(name) ? 'IS NOT DISTINCT FROM' : '='} gone."${name}"`)
    .join(' AND ');
  // Compared in all columns by joins of their own: as a condition of what goes, DuckDB first groups the rows by all of their columns, which
  // made reading over rows that are there take three times as long as reading them first.
  const there = `(FROM ${table.name} AS old WHERE ${rewrite ? 'false' : range})`;
  return withRows(tx, write, async (fresh) => {
    const written = await tx.run(
      `INSERT INTO ${table.name} BY NAME SELECT new.*, ${loadId}::BIGINT AS _load_id
       FROM ${fresh} AS new ANTI JOIN ${there} AS old ON ${sameContent(table)}`,
    );
    // Rows that are alone under their keys replace nothing where none of them is new.
    if (written === 0 && !parent && table.key.every((name) => by.includes(name))) return { rows: 0, parents: 0 };
    const read = parent ?? write;
    const keys = read.table.columns.filter(({ name }) => by.includes(name));
    const gone = await tx.offer(keys, read.parts, (from) =>
      tx.query<Record<string, string | null>>(
        `DELETE FROM ${table.name} AS old USING ${from} AS gone WHERE ${range} AND ${sameKey} AND old._load_id <> ${loadId}
         AND old.rowid NOT IN (
           SELECT old.rowid FROM ${table.name} AS old SEMI JOIN ${fresh} AS new ON ${sameContent(table)}
           WHERE ${rewrite ? 'false' : range}
         ) RETURNING ${by.map((name) => `CAST("${name}" AS VARCHAR) AS "${name}"`).join(', ')}`,
      ),
    );
    const parents = parent && !rewrite ? await touchParents(tx, parent, gone, loadId) : 0;
    return { rows: written || gone.length, parents };
  });
}

/** A parent with fewer children than before has changed, too: what is built from it goes by its load. */
async function touchParents(
  tx: Transaction,
  parent: Write,
  keys: readonly Record<string, string | null>[],
  loadId: number,
): Promise<number> {
  if (keys.length === 0) return 0;
  const { table, by } = parent;
  const rows = new Set(keys.map((key) => `(${by.map((name) => literalOrNull(key[name])).join(', ')})`));
  const columns = by.map((name) => `"${name}"`).join(', ');
  const same = by.map((name) => `CAST(old."${name}" AS VARCHAR) IS NOT DISTINCT FROM gone."${name}"`).join(' AND ');
  return tx.run(
    `UPDATE ${table.name} AS old SET _load_id = ${loadId} FROM (VALUES ${[...rows].join(', ')}) AS gone (${columns})
     WHERE ${rangeOf(parent)} AND ${same} AND old._load_id <> ${loadId}`,
  );
}

/** Whether rows `old` and `new` of a table are equal in every column. */
export const sameContent = (table: Table) =>
  sameRow(
    'old',
    'new',
    contentOf(table).map(({ name }) => name),
  );

/** Offers rows to SQL for the time of `use`. */
export const withRows = <T>(
  tx: Transaction,
  { table, parts }: Pick<Write, 'table' | 'parts'>,
  use: (from: string) => Promise<T>,
): Promise<T> => tx.offer(contentOf(table), parts, use);

/** The number of the load is known only inside the transaction: SQL fills it in. */
export const ofLoad = (loadId: number) => ({ _load_id: `${loadId}::BIGINT` });
