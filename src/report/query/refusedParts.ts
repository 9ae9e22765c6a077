/** Table functions that only give rows. All others are refused: some read files, some write them, some run SQL from a text. */
const rowFunctions = new Set([
  'range',
  'generate_series',
  'unnest',
  'json_each',
  'json_tree',
  'duckdb_columns',
  'duckdb_functions',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
]);

/**
 * What a query may not do, in words, from its syntax tree (`json_serialize_sql`): none where it only selects from tables, views and
 * harmless functions. DuckDB's own locks hold as well, but to them `FROM enable_profiling(save_location = …)` is just another SELECT.
 */
export function refusedParts(tree: unknown): string[] {
  const found: string[] = [];
  const look = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    const { type, function: called, catalog_name, schema_name, table_name } = node as Record<string, unknown>;
    if (type === 'TABLE_FUNCTION') {
      const name = String((called as Record<string, unknown> | undefined)?.['function_name']).toLowerCase();
      if (!rowFunctions.has(name)) found.push(`the function ${name}`);
    }
    if (type === 'BASE_TABLE') {
      const name = [catalog_name, schema_name, table_name].filter(Boolean).join('.');
      if (/[/\\:*?[]/.test(name)) found.push(`the file ${name}`);
    }
    for (const member of Object.values(node)) look(member);
  };
  look(tree);
  return [...new Set(found)];
}
