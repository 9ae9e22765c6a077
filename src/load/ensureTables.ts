import type { DuckDBConnection } from '@duckdb/node-api';
import { duckdbType } from '../core/columnType.ts';
import { FirnError } from '../core/firnError.ts';
import { createTableSql, type Table } from '../core/table.ts';

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
    if (!known) return [createTableSql(table), ...comments(table)];
    return table.columns.flatMap((column) => {
      const type = duckdbType(column.type);
      const was = known.get(column.name);
      if (was === undefined) return [`ALTER TABLE ${table.name} ADD COLUMN "${column.name}" ${type}`];
      if (was === type) return [];
      throw new FirnError(
        'newer_warehouse',
        `Column ${table.name}.${column.name} is ${was} in this warehouse and ${type} in this version of firn. ` +
          'Upgrade firn to the version that wrote it, or begin a new warehouse.',
      );
    });
  });
  if (statements.length === 0) return;
  await connection.run(`BEGIN; ${statements.join(';\n')}; COMMIT;`);
}

async function existingColumns(connection: DuckDBConnection): Promise<Map<string, Map<string, string>>> {
  const reader = await connection.runAndReadAll(
    `SELECT schema_name || '.' || table_name AS "table", column_name, data_type FROM duckdb_columns() WHERE database_name = 'state' AND schema_name = 'raw'`,
  );
  const found = new Map<string, Map<string, string>>();
  for (const { table, column_name, data_type } of reader.getRowObjects()) {
    const columns = found.get(String(table)) ?? new Map<string, string>();
    found.set(String(table), columns.set(String(column_name), String(data_type)));
  }
  return found;
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

function comments(table: Table): string[] {
  return [
    `COMMENT ON TABLE ${table.name} IS ${quote(table.description)}`,
    ...table.columns.map((column) => {
      const unit = column.unit ? ` [${column.unit}]` : '';
      return `COMMENT ON COLUMN ${table.name}."${column.name}" IS ${quote(column.description + unit)}`;
    }),
  ];
}
