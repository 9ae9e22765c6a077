import type { Warehouse } from '../load/warehouse.ts';
import type { PlacedModel } from './model.ts';

/** Puts the rows that were carried over into the tables that begin anew. */
export type PutBack = () => Promise<void>;

/**
 * Keeps, before tables begin anew, what cannot be computed again because its raw rows were dropped (`firn.frozen`): whole rows of
 * tables kept by hour or bucket, and first sights. Runs inside the open transaction.
 *
 * @returns what puts them back; columns that a new version of a model added are NULL there
 */
export async function carryFrozen(warehouse: Warehouse, models: readonly PlacedModel[]): Promise<PutBack> {
  const [frozen] = await warehouse.query('SELECT 1 FROM firn.frozen LIMIT 1');
  if (!frozen) return async () => {};
  const carried: { name: string; copy: string; columns: readonly string[] }[] = [];
  for (const model of models) {
    const before = await columnsOf(warehouse, model.name);
    const selected = selectFrozen(model, before);
    if (selected === undefined) continue;
    const copy = `temp.firn_frozen_${carried.length}`;
    await warehouse.run(`CREATE OR REPLACE TEMP TABLE firn_frozen_${carried.length} AS ${selected}`);
    carried.push({ name: model.name, copy, columns: before });
  }
  return async () => {
    for (const { name, copy, columns } of carried) {
      const now = new Set(await columnsOf(warehouse, name));
      const common = columns.filter((column) => now.has(column)).map((column) => `"${column}"`);
      await warehouse.run(`INSERT INTO ${name} BY NAME SELECT ${common.join(', ')} FROM ${copy}; DROP TABLE ${copy}`);
    }
  };
}

function selectFrozen({ name, keptAs }: PlacedModel, columns: readonly string[]): string | undefined {
  if (columns.length === 0 || !columns.includes('chain_id')) return undefined;
  const from = `FROM ${name} AS kept JOIN firn.frozen AS frozen ON frozen.chain_id = kept.chain_id`;
  switch (keptAs.kind) {
    case 'hours':
      return `SELECT kept.* ${from} WHERE kept."${keptAs.column}" < frozen.until`;
    case 'buckets':
      return `SELECT kept.* ${from} WHERE kept.bucket < frozen.until`;
    case 'earliest': {
      const measures = columns.filter((column) => !keptAs.key.includes(column));
      const early = (column: string) => `CASE WHEN kept."${column}" < frozen.until THEN kept."${column}" END`;
      const values = columns.map((column) =>
        keptAs.key.includes(column) ? `kept."${column}"` : `${early(column)} AS "${column}"`,
      );
      return `SELECT ${values.join(', ')} ${from} WHERE coalesce(${measures.map(early).join(', ')}) IS NOT NULL`;
    }
    default:
      return undefined;
  }
}

/** Columns of a table; none where it is not there, or is a view. */
async function columnsOf(warehouse: Warehouse, name: string): Promise<string[]> {
  const rows = await warehouse.query<{ name: string }>(
    `SELECT c.column_name AS name FROM duckdb_columns() AS c
     JOIN duckdb_tables() AS t ON t.database_name = c.database_name AND t.schema_name = c.schema_name AND t.table_name = c.table_name
     WHERE c.database_name = current_database() AND c.schema_name || '.' || c.table_name = $1 ORDER BY c.column_index`,
    [name],
  );
  return rows.map((row) => row.name);
}
