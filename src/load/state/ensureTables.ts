import type { DuckDBConnection } from '@duckdb/node-api';
import { duckdbType } from '../../core/columns/columnType.ts';
import { createTableSql, type Table } from '../../core/columns/table.ts';
import { FirnError } from '../../core/firnError.ts';
import { literal, sameRow } from '../../core/text/sqlText.ts';
import { inTransaction } from '../database/inTransaction.ts';
import { queryOf } from '../database/transaction.ts';
import type { Writer } from '../database/writer.ts';

/**
 * Makes the raw tables that are missing, adds columns that a newer schema declares (NULL in old rows), and lets columns be NULL that an older one
 * required.
 *
 * @throws FirnError `newer_warehouse` when a column changed its type, or rows have another key: only a migration may do that, or the owner of a
 *   stream
 */
export async function ensureTables(connection: DuckDBConnection, tables: readonly Table[]): Promise<void> {
  if (tables.length === 0) return;
  const existing = await fittingTables(connection, tables);
  const added: string[] = [];
  const others = tables.flatMap((table) => {
    const known = existing.get(table.name);
    if (!known) return [createTableSql(table)];
    added.push(...addedColumns(table, known));
    return [...noLongerRequired(table, known), ...keyOldDays(table, existing)];
  });
  const statements = [...added, ...(added.length > 0 ? [buildAnew] : []), ...others, ...noteKeys(tables, existing)];
  if (statements.length === 0) return;
  await inTransaction(connection, () => connection.run(statements.join(';\n')));
}

/** The columns of the raw tables that are there. @throws as `ensureTables`, and changes nothing */
export async function fittingTables(
  connection: DuckDBConnection,
  tables: readonly Table[],
): Promise<ReadonlyMap<string, KnownTable>> {
  // What made a table is at hand; asking for its columns takes four times as long, as much as all else of opening a warehouse.
  const rows = await queryOf(connection)<{ table: string; sql: string; key: string | null }>(
    `SELECT schema_name || '.' || table_name AS "table", sql, k."key"
     FROM duckdb_tables() AS t LEFT JOIN main.firn_table_key AS k ON k."table" = t.schema_name || '.' || t.table_name
     WHERE database_name = 'state' AND schema_name = 'raw'`,
  );
  const existing = new Map(rows.map(({ table, sql, key }) => [table, { columns: knownColumns(sql), key }]));
  const daily = new Set(tables.map(({ volatile }) => volatile?.daily.name));
  for (const table of tables) {
    const known = existing.get(table.name);
    if (!known) continue;
    // Of days, only the newest is read again, and its rows get the new column.
    if (!daily.has(table.name)) await refuseOtherKey(connection, table, known);
    await refuseOtherWay(connection, table, known);
    refuseOtherTypes(table, known);
  }
  return existing;
}

/** Tables of models that select every column lack the new ones. */
const buildAnew = `UPDATE firn.build_state SET models_hash = '', files_hash = ''`;

/** A table that is there. */
interface KnownTable {
  readonly columns: ReadonlyMap<string, KnownColumn>;
  /** Columns of the key that its rows have; null where that was never noted. */
  readonly key: string | null;
}

interface KnownColumn {
  readonly type: string;
  readonly required: boolean;
}

/**
 * Columns by name, as it stands inside of quotes; no type has a space in it: `CREATE TABLE raw.x("timestamp" TIMESTAMP NOT NULL, amount DECIMAL(38,0));`.
 * An older state can have an `"odd-column"` of an extension.
 */
const knownColumns = (sql: string): ReadonlyMap<string, KnownColumn> =>
  new Map(
    sql
      .slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'))
      .split(', ')
      .map((column): [string, KnownColumn] => {
        const [, quoted, name = quoted ?? '', type = '', required] =
          /^(?:"((?:[^"]|"")*)"|(\w+)) (\S+)( NOT NULL)?/.exec(column) ?? [];
        return [name, { type, required: required !== undefined }];
      }),
  );

/**
 * Writes the descriptions of raw tables as comments, which publishing hands on. A step of its own, since DuckDB writes a table's
 * whole entry anew for each comment: 2,000 of them take 0.3 s, a quarter of a first sync.
 */
export async function describeTables(
  warehouse: Pick<Writer, 'query' | 'transaction'>,
  tables: readonly Table[],
): Promise<void> {
  const rows = await warehouse.query<{ at: string; comment: string }>(
    `SELECT schema_name || '.' || table_name || '.' || column_name AS at, comment FROM duckdb_columns()
     WHERE database_name = 'state' AND schema_name = 'raw' AND comment IS NOT NULL
     UNION ALL
     SELECT schema_name || '.' || table_name || '.', comment FROM duckdb_tables()
     WHERE database_name = 'state' AND schema_name = 'raw' AND comment IS NOT NULL`,
  );
  const existing = new Map(rows.map(({ at, comment }) => [at, comment]));
  const statements = tables
    .flatMap(comments)
    .filter(({ at, text }) => existing.get(at) !== text)
    .map(({ sql }) => sql);
  if (statements.length > 0) await warehouse.transaction((tx) => tx.run(statements.join(';\n')));
}

/** The columns of a key in an order of their own. */
export const keyText = ({ key }: Table) => key.toSorted().join(', ');

/** Notes which keys tables have from now on. */
function noteKeys(tables: readonly Table[], existing: ReadonlyMap<string, KnownTable>): string[] {
  const changed = tables.filter((table) => existing.get(table.name)?.key !== keyText(table));
  if (changed.length === 0) return [];
  return [
    `DELETE FROM main.firn_table_key WHERE "table" IN (${changed.map(({ name }) => literal(name)).join(', ')})`,
    `INSERT INTO main.firn_table_key VALUES ${changed.map((table) => `(${literal(table.name)}, ${literal(keyText(table))})`).join(', ')}`,
  ];
}

const addedColumns = (table: Table, { columns }: KnownTable): string[] =>
  table.columns
    .filter(({ name }) => !columns.has(name))
    .map(({ name, type }) => `ALTER TABLE ${table.name} ADD COLUMN "${name}" ${duckdbType(type)}`);

/** @throws FirnError `newer_warehouse` */
function refuseOtherTypes(table: Table, known: KnownTable): void {
  for (const column of table.columns) {
    const type = duckdbType(column.type);
    const was = known.columns.get(column.name)?.type ?? type;
    if (was === type) continue;
    throw new FirnError(
      'newer_warehouse',
      `Column ${table.name}.${column.name} is ${was} in this warehouse and ${type} in this version of firn. ` +
        'Upgrade firn to the version that wrote it, or begin a new warehouse. In a stream of your own, give the column another name; or ' +
        readAgain,
    );
  }
}

const readAgain = 'run "firn state drop" for the stream: it is then read again.';

/**
 * Rows of another key would stay beside those that are read again, as children of a parent whose key has one column more. In a snapshot they end.
 *
 * @throws FirnError `newer_warehouse`
 */
async function refuseOtherKey(connection: DuckDBConnection, table: Table, known: KnownTable): Promise<void> {
  const { name, key, columns } = table;
  if (known.columns.has('_valid_to')) return;
  const required = columns.filter((column) => !column.nullable && key.includes(column.name));
  const lacking = required.find((column) => !known.columns.has(column.name));
  const isSame = known.key === null || known.key === keyText(table);
  if ((!lacking && isSame) || !(await hasRows(connection, name))) return;
  const what = lacking
    ? `has a column ${lacking.name} in this version of firn, which the rows in this warehouse lack`
    : `is ${known.key} in this warehouse and ${keyText(table)} in this version of firn`;
  throw new FirnError(
    'newer_warehouse',
    `The key of ${name} ${what}: its rows would stay beside those that are read from now on. ` +
      `In a stream of your own, leave its key and that of its parent as they were, or ${readAgain}`,
  );
}

/**
 * A snapshot tells since when each of its rows is valid, and no other way does: rows of both in one table would lack it.
 *
 * @throws FirnError `newer_warehouse`
 */
async function refuseOtherWay(
  connection: DuckDBConnection,
  { name, columns }: Table,
  known: KnownTable,
): Promise<void> {
  const isSnapshot = columns.some((column) => column.name === '_valid_from');
  if (known.columns.has('_valid_from') === isSnapshot || !(await hasRows(connection, name))) return;
  const [was, is] = isSnapshot ? ['were not', 'are'] : ['were', 'are not'];
  throw new FirnError(
    'newer_warehouse',
    `The rows of ${name} in this warehouse ${was} read as a snapshot, and in this version of firn they ${is}: only a snapshot's rows say since when they ` +
      `are valid. In a stream of your own, leave its way as it was, or ${readAgain}`,
  );
}

const hasRows = async (connection: DuckDBConnection, table: string): Promise<boolean> =>
  (await queryOf(connection)(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0;

/** Gives what was last seen each day the columns that the key of its snapshot has besides by now, as far as the snapshot tells them. */
function keyOldDays({ name, key, volatile }: Table, existing: ReadonlyMap<string, KnownTable>): string[] {
  const known = volatile && existing.get(volatile.daily.name)?.columns;
  const shared = key.filter((column) => known?.has(column));
  if (!known || shared.length === 0) return [];
  return key
    .filter((column) => !known.has(column))
    .map(
      (column) => `UPDATE ${volatile.daily.name} AS old SET "${column}" =
        (SELECT CASE WHEN min("${column}") = max("${column}") THEN min("${column}") END FROM ${name} AS new WHERE ${sameRow('new', 'old', shared)})`,
    );
}

/** Lets columns be NULL that the schema makes optional by now, or names no more: rows without a value could not be written. */
function noLongerRequired({ name, columns }: Table, known: KnownTable): string[] {
  const required = new Set(columns.flatMap((column) => (column.nullable ? [] : [column.name])));
  return [...known.columns].flatMap(([column, was]) =>
    was.required && !required.has(column) ? [`ALTER TABLE ${name} ALTER COLUMN "${column}" DROP NOT NULL`] : [],
  );
}

/** Descriptions with their units as comments. */
function comments({ name, description, columns }: Table): { at: string; text: string; sql: string }[] {
  const ofColumns = columns.map((column) => ({
    at: `${name}.${column.name}`,
    of: `COLUMN ${name}."${column.name}"`,
    text: column.description + (column.unit ? ` [${column.unit}]` : ''),
  }));
  return [{ at: `${name}.`, of: `TABLE ${name}`, text: description }, ...ofColumns].map(({ at, of, text }) => ({
    at,
    text,
    sql: `COMMENT ON ${of} IS ${literal(text)}`,
  }));
}
