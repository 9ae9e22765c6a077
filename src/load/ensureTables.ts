import type { DuckDBConnection } from '@duckdb/node-api';
import { duckdbType } from '../core/columnType.ts';
import { FirnError } from '../core/firnError.ts';
import { literal } from '../core/sqlText.ts';
import { createTableSql, type Table } from '../core/table.ts';
import { inTransaction } from './inTransaction.ts';

/**
 * Makes the raw tables that are missing, adds columns that a newer schema declares (NULL in old rows), and carries the
 * descriptions over as comments.
 *
 * @throws FirnError `newer_warehouse` when a column changed its type: only a migration may do that
 */
export async function ensureTables(connection: DuckDBConnection, tables: readonly Table[]): Promise<void> {
  const existing = await existingColumns(connection);
  const statements = tables.flatMap((table) => {
    const known = existing.get(table.name);
    const made = known ? addedColumns(table, known) : [createTableSql(table)];
    return [
      ...made,
      ...comments(table)
        .filter((comment) => known?.get(comment.column)?.comment !== comment.text)
        .map(({ sql }) => sql),
    ];
  });
  if (statements.length === 0) return;
  await inTransaction(connection, () => connection.run(statements.join(';\n')));
}

interface Existing {
  readonly type: string;
  readonly comment: string | null;
}

/** @throws FirnError `newer_warehouse` */
function addedColumns(table: Table, known: ReadonlyMap<string, Existing>): string[] {
  return table.columns.flatMap((column) => {
    const type = duckdbType(column.type);
    const was = known.get(column.name)?.type;
    if (was === undefined) return [`ALTER TABLE ${table.name} ADD COLUMN "${column.name}" ${type}`];
    if (was === type) return [];
    throw new FirnError(
      'newer_warehouse',
      `Column ${table.name}.${column.name} is ${was} in this warehouse and ${type} in this version of firn. ` +
        'Upgrade firn to the version that wrote it, or begin a new warehouse.',
    );
  });
}

/** Columns of the raw tables by table; the table's own comment stands under the empty name. */
async function existingColumns(connection: DuckDBConnection): Promise<Map<string, Map<string, Existing>>> {
  const reader = await connection.runAndReadAll(
    `SELECT schema_name || '.' || table_name AS "table", column_name AS "column", data_type AS type, comment FROM duckdb_columns()
     WHERE database_name = 'state' AND schema_name = 'raw'
     UNION ALL
     SELECT schema_name || '.' || table_name, '', '', comment FROM duckdb_tables() WHERE database_name = 'state' AND schema_name = 'raw'`,
  );
  const found = new Map<string, Map<string, Existing>>();
  for (const { table, column, type, comment } of reader.getRowObjects()) {
    const columns = found.get(String(table)) ?? new Map<string, Existing>();
    found.set(
      String(table),
      columns.set(String(column), { type: String(type), comment: comment === null ? null : String(comment) }),
    );
  }
  return found;
}

/** Descriptions with their units as comments. */
function comments(table: Table): { column: string; text: string; sql: string }[] {
  const ofColumns = table.columns.map(({ name, description, unit }) => ({
    column: name,
    text: description + (unit ? ` [${unit}]` : ''),
  }));
  return [{ column: '', text: table.description }, ...ofColumns].map(({ column, text }) => ({
    column,
    text,
    sql: `COMMENT ON ${column ? `COLUMN ${table.name}."${column}"` : `TABLE ${table.name}`} IS ${literal(text)}`,
  }));
}
