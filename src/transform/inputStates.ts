import { literal } from '../core/sqlText.ts';
import type { Statements } from '../load/transaction.ts';
import { inputsOf } from './inputsOf.ts';
import type { PlacedModel } from './model.ts';

/** What relations hold, by their lower-case names: where a text is the same, so are the rows. */
export type InputStates = Readonly<Record<string, string>>;

/**
 * What the relations hold that no model makes and from which tables are built whole. Raw tables are not read for it: whatever changes them
 * brings another load, another number of rows or another end of a row.
 */
export async function inputStates(warehouse: Statements, models: readonly PlacedModel[]): Promise<InputStates> {
  const inputs = inputsOf(models);
  const made = new Set(models.map(({ name }) => name.toLowerCase()));
  const read = models.flatMap(({ name, keptAs }) => (keptAs.kind === 'table' ? [...(inputs.get(name) ?? [])] : []));
  const wanted = [...new Set(read)].filter((name) => !made.has(name));
  if (wanted.length === 0) return {};
  const columns = await warehouse.query<{ name: string; columns: string }>(
    `SELECT lower(schema_name || '.' || table_name) AS name, string_agg(column_name, ' ') AS columns FROM duckdb_columns()
     WHERE database_name = current_database() AND name IN (${wanted.map(literal).join(', ')}) GROUP BY ALL`,
  );
  if (columns.length === 0) return {};
  const states = columns.map(({ name, columns: all }) => {
    const names = new Set(all.split(' '));
    const state = names.has('_load_id')
      ? `concat_ws(' ', count(*), max(_load_id)${names.has('_valid_to') ? ', count(_valid_to)' : ''})`
      : `concat_ws(' ', count(*), sum(hash(*COLUMNS(*))))`;
    return `SELECT ${literal(name)} AS name, ${state} AS state FROM ${name}`;
  });
  const rows = await warehouse.query<{ name: string; state: string }>(states.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}
