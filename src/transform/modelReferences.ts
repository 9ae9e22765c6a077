import type { FirnError } from '../core/firnError.ts';
import { literal } from '../core/sqlText.ts';
import type { Statements } from '../load/transaction.ts';
import { type SqlPlace, sqlError } from './sqlError.ts';

interface Node {
  readonly type?: string;
  readonly schema_name?: string;
  readonly table_name?: string;
}

/** What a statement reads, as `schema.table`; or why DuckDB cannot parse it. */
export type References = readonly string[] | FirnError;

/** The tables and views that each statement reads, found by DuckDB's own parser. Names without a schema (CTEs) do not count. */
export async function modelReferences(
  warehouse: Pick<Statements, 'query'>,
  statements: readonly { readonly name: string; readonly sql: string; readonly place: SqlPlace }[],
): Promise<Map<string, References>> {
  if (statements.length === 0) return new Map();
  const values = statements.map(({ name, sql }) => `(${literal(name)}, ${literal(sql)})`).join(', ');
  const rows = await warehouse.query<{ name: string; tree: string }>(
    `SELECT name, json_serialize_sql(text) AS tree FROM (VALUES ${values}) AS model (name, text)`,
  );
  const trees = new Map(rows.map(({ name, tree }) => [name, tree]));
  return new Map(
    statements.map((statement) => [statement.name, references(statement, trees.get(statement.name) ?? '{}')]),
  );
}

function references({ sql, place }: { sql: string; place: SqlPlace }, text: string): References {
  const tree = JSON.parse(text) as { error?: boolean; error_message?: string; position?: string };
  if (tree.error) {
    const line = place.line + sql.slice(0, Number(tree.position ?? 0)).split('\n').length - 1;
    return sqlError({ ...place, line }, new Error(`It is not one SELECT: ${tree.error_message}`));
  }
  const found = new Set<string>();
  collect(tree, found);
  return [...found].sort();
}

function collect(node: unknown, found: Set<string>): void {
  if (node === null || typeof node !== 'object') return;
  const { type, schema_name, table_name } = node as Node;
  if (type === 'BASE_TABLE' && schema_name && table_name) found.add(`${schema_name}.${table_name}`);
  for (const child of Object.values(node)) collect(child, found);
}
