import type { Statements } from './transaction.ts';

/** Whether the state has a table or a view; those of models are made by the first build. */
export async function hasRelation(
  { query }: Pick<Statements, 'query'>,
  schema: string,
  name: string,
): Promise<boolean> {
  const found = await query(
    'SELECT 1 FROM information_schema.tables WHERE table_catalog = current_database() AND table_schema = $1 AND table_name = $2',
    [schema, name],
  );
  return found.length > 0;
}
