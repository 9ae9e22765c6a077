import { FirnError } from '../core/firnError.ts';
import type { Warehouse } from '../load/warehouse.ts';

interface Node {
  readonly type?: string;
  readonly schema_name?: string;
  readonly table_name?: string;
}

/**
 * The tables and views that a SELECT reads, as `schema.table`, found by DuckDB's own parser. Names without a schema (CTEs) do not count.
 *
 * @throws FirnError `failed` when DuckDB cannot parse it
 */
export async function modelReferences(warehouse: Warehouse, file: string, sql: string): Promise<string[]> {
  const [row] = await warehouse.query<{ tree: string }>('SELECT json_serialize_sql($1::VARCHAR) AS tree', [sql]);
  const tree = JSON.parse(row?.tree ?? '{}') as { error?: boolean; error_message?: string };
  if (tree.error) throw new FirnError('failed', `${file} is not one SELECT: ${tree.error_message}`);
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
