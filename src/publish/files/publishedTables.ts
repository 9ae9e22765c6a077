import type { Layout } from '../../core/columns/layout.ts';
import type { ParquetColumn, SourceColumn } from '../../core/columns/parquetColumns.ts';
import { literal, nameOf, qualified } from '../../core/text/sqlText.ts';
import { querySql } from '../../load/packageFiles.ts';
import type { PublishSource } from './publishSource.ts';

/** A table or view of the state database, as its catalogue tells it. */
export interface CatalogueTable {
  readonly schema: string;
  readonly name: string;
  readonly comment: string | null;
  readonly columns: readonly SourceColumn[];
  /** Whether the table is known to hold no row; never for views. */
  readonly isEmpty: boolean;
  /** The statement that makes the view; `undefined` for a table. */
  readonly viewSql: string | undefined;
  /** The table that has its rows, as SQL, where that is another one. */
  readonly rowsIn?: string;
}

/** A table on its way to Parquet. */
export interface Outgoing {
  readonly table: CatalogueTable;
  readonly layout: Layout;
  readonly columns: readonly ParquetColumn[];
}

/** What a relation's rows are read from, as SQL. */
export const rowsIn = (table: CatalogueTable): string => table.rowsIn ?? qualified(table);

export const publishedSchemas = ['raw', 'staging', 'mart', 'refs', 'firn'] as const;

type Row = {
  schema: string;
  name: string;
  comment: string | null;
  sql: string | null;
  is_empty: boolean;
  column: string;
  type: string;
  column_comment: string | null;
};

/** Every table and view of a catalogue's raw, staging, mart, refs and firn schemas with columns and comments, in a fixed order. */
export async function publishedTables(
  source: Pick<PublishSource, 'query'>,
  catalogue = 'current_database()',
): Promise<readonly CatalogueTable[]> {
  const schemas = publishedSchemas.map(literal).join(', ');
  const rows = await source.query<Row>(querySql('published_tables', { catalogue, schemas }));
  const tables = new Map<string, CatalogueTable & { columns: SourceColumn[] }>();
  for (const row of rows) {
    const key = nameOf(row);
    const table = tables.get(key) ?? {
      schema: row.schema,
      name: row.name,
      comment: row.comment,
      columns: [],
      isEmpty: row.is_empty,
      viewSql: row.sql ?? undefined,
    };
    table.columns.push({ name: row.column, type: row.type, comment: row.column_comment });
    tables.set(key, table);
  }
  return [...tables.values()];
}

/** All that a database shows to readers. */
export interface Catalogue {
  /** The name under which it is attached. */
  readonly name: string;
  readonly tables: readonly CatalogueTable[];
  readonly macros: readonly Definition[];
}

/** @param name of an attached database; the current one where it is left out */
export async function readCatalogue(source: Pick<PublishSource, 'query'>, name?: string): Promise<Catalogue> {
  const [current] = name === undefined ? await source.query<{ name: string }>('SELECT current_database() AS name') : [];
  const known = name ?? current?.name ?? '';
  return {
    name: known,
    tables: await publishedTables(source, literal(known)),
    macros: await publishedMacros(source, literal(known)),
  };
}

/** A view, or a macro that views may call, with the statement that makes it, as the catalogue prints it. */
export interface Definition {
  readonly schema: string;
  readonly name: string;
  readonly sql: string;
}

/** The views of a catalogue's published schemas. */
export const viewsOf = (tables: readonly CatalogueTable[]): Definition[] =>
  tables.flatMap(({ schema, name, viewSql }) => (viewSql === undefined ? [] : [{ schema, name, sql: viewSql }]));

const quoted = (column: string) => `'"' || replace(${column}, '"', '""') || '"'`;

/** The macros of a catalogue, as statements that make them again. (The catalogue does not tell default values of parameters.) */
export async function publishedMacros(
  source: Pick<PublishSource, 'query'>,
  catalogue = 'current_database()',
): Promise<readonly Definition[]> {
  return source.query<Definition & Record<string, string>>(`
    SELECT schema_name AS "schema", function_name AS name,
      'CREATE OR REPLACE MACRO ' || ${quoted('schema_name')} || '.' || ${quoted('function_name')} || string_agg(
        '(' || array_to_string(list_transform(parameters, lambda p: ${quoted('p')}), ', ') || ')'
        || ' AS ' || CASE function_type WHEN 'table_macro' THEN 'TABLE ' ELSE '' END || macro_definition,
        ', ' ORDER BY len(parameters)
      ) AS sql
    FROM duckdb_functions()
    WHERE database_name = ${catalogue} AND NOT internal AND function_type IN ('macro', 'table_macro')
    GROUP BY schema_name, function_name ORDER BY schema_name, function_name`);
}
