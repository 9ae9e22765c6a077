import { FirnError } from '../core/firnError.ts';
import type { Warehouse } from '../load/warehouse.ts';
import type { Model } from './model.ts';
import { sqlText } from './sqlText.ts';

interface Node {
  readonly type?: string;
  readonly schema_name?: string;
  readonly table_name?: string;
}

/**
 * The tables and views that each model reads, as `schema.table`, found by DuckDB's own parser. Names without a schema (CTEs) do not count.
 *
 * @throws FirnError `failed` when DuckDB cannot parse a model
 */
export async function modelReferences(warehouse: Warehouse, models: readonly Model[]): Promise<Map<string, string[]>> {
  if (models.length === 0) return new Map();
  const values = models.map(({ name, sql }) => `(${sqlText(name)}, ${sqlText(sql)})`).join(', ');
  const rows = await warehouse.query<{ name: string; tree: string }>(
    `SELECT name, json_serialize_sql(text) AS tree FROM (VALUES ${values}) AS model (name, text)`,
  );
  return new Map(rows.map(({ name, tree }) => [name, references(name, tree)]));
}

function references(name: string, text: string): string[] {
  const tree = JSON.parse(text) as { error?: boolean; error_message?: string };
  if (tree.error) throw new FirnError('failed', `The model ${name} is not one SELECT: ${tree.error_message}`);
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
