import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { isByBlocks, type PlacedModel } from '../models/model.ts';
import { aboutModel, ModelError } from '../models/modelError.ts';
import { refuseColumns } from './refuseColumns.ts';

/**
 * Brings the catalogue in line with the models: views are written anew, missing tables are made empty, relations without a model
 * are dropped, comments follow the headers. Runs inside the open transaction.
 *
 * @param stay models to leave as they are
 * @param afresh models whose tables start empty
 * @returns the tables that it made, which are empty, by lower-case names
 * @throws OtherColumns for a table that must begin afresh, and is not among these
 */
export async function createModels(
  warehouse: Statements,
  models: readonly PlacedModel[],
  stay: readonly PlacedModel[],
  afresh: readonly PlacedModel[],
): Promise<ReadonlySet<string>> {
  const made = new Set<string>();
  const kinds = await existingKinds(warehouse);
  const names = new Set([...models, ...stay].map(({ name }) => name));
  const built = await warehouse.query<{ name: string }>('SELECT name FROM firn.model');
  for (const { name } of built.filter((row) => !names.has(row.name))) await drop(warehouse, name, kinds.get(name));
  for (const model of models) {
    const kind = model.keptAs.kind === 'view' ? 'VIEW' : 'TABLE';
    const existing = kinds.get(model.name);
    await aboutModel(model, async () => {
      const isOther =
        existing !== kind ||
        (kind === 'TABLE' && (afresh.includes(model) || (await hasOtherColumns(warehouse, model))));
      if (isOther) await drop(warehouse, model.name, existing);
      if (isOther && kind === 'TABLE') made.add(model.name.toLowerCase());
      if (kind === 'VIEW') await warehouse.run(`CREATE OR REPLACE VIEW ${model.name} AS ${model.sql}`);
      else await warehouse.run(`CREATE TABLE IF NOT EXISTS ${model.name} AS ${model.sql}\nWITH NO DATA`);
      await describe(warehouse, model, kind, models);
    });
    if (kind === 'TABLE' || model.files) refuseColumns(model, await columnsOf(warehouse, model.name));
  }
  // mart.metric reads the versions of the metric models while it is built.
  const rows = models.map(({ name, hash }) => `(${literal(name)}, ${literal(hash)})`);
  await warehouse.run(
    `DELETE FROM firn.model WHERE name NOT IN (${[...names].map(literal).join(', ')});
     MERGE INTO firn.model AS m USING (VALUES ${rows.join(', ')}) AS v (name, hash) ON m.name = v.name
     WHEN MATCHED THEN UPDATE SET sql_hash = v.hash WHEN NOT MATCHED THEN INSERT VALUES (v.name, v.hash, now()::TIMESTAMP, 0, 0)`,
  );
  return made;
}

async function existingKinds(warehouse: Statements): Promise<Map<string, 'VIEW' | 'TABLE'>> {
  const rows = await warehouse.query<{ name: string; kind: 'VIEW' | 'TABLE' }>(
    `SELECT schema_name || '.' || table_name AS name, 'TABLE' AS kind FROM duckdb_tables()
     UNION ALL SELECT schema_name || '.' || view_name, 'VIEW' FROM duckdb_views() WHERE NOT internal`,
  );
  return new Map(rows.map(({ name, kind }) => [name, kind]));
}

/** A table that is kept as blocks change is to have other columns: what it holds of blocks that did not change would not fit. */
export class OtherColumns extends ModelError {
  constructor(name: string) {
    super(name, new FirnError('failed', `${name} is to have other columns`));
  }
}

/**
 * Whether a table is to have other columns, as one that reads a CSV of the user may.
 *
 * @throws OtherColumns where not all of its rows are built in each build
 */
async function hasOtherColumns(warehouse: Statements, model: PlacedModel): Promise<boolean> {
  const columns = async (of: string) => JSON.stringify(await columnsOf(warehouse, of));
  const isOther = (await columns(`FROM (${model.sql}\n)`)) !== (await columns(model.name));
  if (isOther && isByBlocks(model)) throw new OtherColumns(model.name);
  return isOther;
}

async function drop(warehouse: Statements, name: string, kind: 'VIEW' | 'TABLE' | undefined): Promise<void> {
  if (kind) await warehouse.run(`DROP ${kind} ${name}`);
}

async function describe(
  warehouse: Statements,
  model: PlacedModel,
  kind: 'VIEW' | 'TABLE',
  models: readonly PlacedModel[],
): Promise<void> {
  // The views of single metrics have columns of the table that unites them.
  const united = model.metric ? models.find(({ name }) => name === 'mart.metric') : undefined;
  const shown = united ? new Set((await columnsOf(warehouse, model.name)).map(({ name }) => name)) : new Set();
  const inherited = Object.entries(united?.columns ?? {}).filter(([name]) => shown.has(name));
  const columns = [...inherited, ...Object.entries(model.columns)];
  const comments = [
    `COMMENT ON ${kind} ${model.name} IS ${literal(model.description)}`,
    ...columns.map(([column, description]) => `COMMENT ON COLUMN ${model.name}."${column}" IS ${literal(description)}`),
  ];
  await warehouse.run(comments.join('; '));
}

/** @param of a table or view, or a FROM clause */
const columnsOf = (warehouse: Statements, of: string): Promise<{ name: string; type: string }[]> =>
  warehouse.query(`SELECT column_name AS name, column_type AS type FROM (DESCRIBE ${of})`);
