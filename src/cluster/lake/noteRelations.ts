import { literal } from '../../core/sqlText.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import type { PlacedModel } from '../../transform/model.ts';
import { publishedSelect } from './publishLake.ts';

/** What readers see, column by column, in the words of `information_schema.columns`. */
export const relationTable = 'firn.relation';

/**
 * Notes the columns of models and tables as DuckDB knows them: Trino would open every view and table for them, each time that a reader asks.
 *
 * @param workbench holds the tables, which may be empty; the models become views there
 * @param tables names of what readers see beside the models
 */
export async function noteRelations(
  workbench: Pick<Warehouse, 'run'>,
  models: readonly PlacedModel[],
  tables: readonly string[],
): Promise<void> {
  const version = { name: 'firn.published', sql: publishedSelect(0, '1970-01-01 00:00:00', 'firn.model') };
  const views = [...models, version];
  for (const { name, sql } of views) await workbench.run(`CREATE OR REPLACE VIEW ${name} AS ${sql}`);
  const names = [...views.map(({ name }) => name), ...tables].map(literal).join(', ');
  await workbench.run(
    `CREATE OR REPLACE TABLE ${relationTable} AS
     SELECT table_schema, table_name, column_name, ordinal_position, data_type FROM information_schema.columns
     WHERE table_schema || '.' || table_name IN (${names})`,
  );
}
