import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import { publishedSelect } from './publishLake.ts';

/** What readers see, column by column, in the words of `information_schema.columns`. */
export const relationTable = 'firn.relation';

/**
 * Notes the columns of models and tables as DuckDB knows them: Trino would open every view and table for them, each time that a reader asks.
 *
 * @param workbench holds the tables, which may be empty; the models are made there
 * @param tables names of what readers see beside the models
 */
export async function noteRelations(
  workbench: Pick<Warehouse, 'run'>,
  models: readonly PlacedModel[],
  tables: readonly string[],
): Promise<void> {
  for (const { name, sql, keptAs } of models) {
    // As tables, not views, where they are kept so: DuckDB binds what reads a table more quickly.
    const isView = keptAs.kind === 'view';
    const made = isView ? `VIEW ${name} AS ${sql}` : `TABLE ${name} AS ${sql}\nWITH NO DATA`;
    // Of what only the engine knows, such as tables of another catalog, there are no columns here.
    await workbench.run(`CREATE OR REPLACE ${made}`).catch(passing);
  }
  const version = 'firn.published';
  await workbench.run(
    `CREATE OR REPLACE VIEW ${version} AS ${publishedSelect(0, '1970-01-01 00:00:00', 'firn.model')}`,
  );
  const names = [...models.map(({ name }) => name), version, ...tables].map(literal).join(', ');
  await workbench.run(
    `CREATE OR REPLACE TABLE ${relationTable} AS
     SELECT table_schema, table_name, column_name, ordinal_position, data_type FROM information_schema.columns
     WHERE table_schema || '.' || table_name IN (${names})`,
  );
}

function passing(error: unknown): void {
  if (error instanceof FirnError) throw error;
}
