import type { FirnError } from '../../core/firnError.ts';
import { newestChange } from '../../load/commit/checkpoints.ts';
import type { Statements } from '../../load/database/transaction.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { isSameWithoutLoad, withBehind } from '../changes/inputStates.ts';
import { dependents } from '../models/dependents.ts';
import { isByBlocks, type Model, type PlacedModel } from '../models/model.ts';
import { ModelError } from '../models/modelError.ts';
import { placeModels } from '../models/placeModels.ts';
import { readModels } from '../models/readModels.ts';
import { BuildStop, overflowError } from '../overflowError.ts';
import { leaveScopes } from '../scope.ts';
import { buildAll, changeModels } from './buildAll.ts';
import { insertHeights } from './buildHours.ts';
import { type BuiltModel, hashOf, hashOfTables } from './builtModel.ts';
import { createModels, OtherColumns } from './createModels.ts';

export interface BuildOptions {
  /** The models to build. Default: those of the package. */
  readonly models?: readonly Model[];
  /**
   * Called for a model that fails: the others are then built without it and whatever reads it, which stay as they were. Where this is
   * left out, the error is thrown and nothing is built.
   */
  readonly onBroken?: (broken: BrokenModel) => void;
}

/** A model that fails, with everything that is not built because of it, by lower-case names. */
export interface BrokenModel {
  readonly name: string;
  readonly error: FirnError;
  readonly leftOut: ReadonlySet<string>;
}

/**
 * Builds the models of `sql/models` in the order of their references, all in one transaction. Tables kept by time, bucket or first occurrence
 * are brought up to date where blocks were loaded since the last build; a model whose SQL changed builds everything again.
 *
 * @throws FirnError `contract` when an amount does not fit 38 digits, with the block; `failed` for models that are wrong
 */
export async function buildModels(warehouse: Warehouse, options: BuildOptions = {}): Promise<BuiltModel[]> {
  const files = options.models ?? (await readModels());
  const filesHash = hashOf(
    files.map(({ name, description, columns, keptAs, files: cut, metric, sql }) =>
      JSON.stringify([name, description, columns, keptAs, cut, metric, sql]),
    ),
  );
  const before = await builtBefore(warehouse, filesHash);
  if (before) return before;
  const all = await placeModels(warehouse, files);
  const leftOut = new Set<string>();
  for (;;) {
    const models = all.filter(({ name }) => !leftOut.has(name.toLowerCase()));
    await leaveScopes(warehouse);
    try {
      return await warehouse.transaction((tx) => buildAll(tx, { all, models, filesHash }));
    } catch (error) {
      const found = error instanceof BuildStop ? await located(warehouse, models, error) : error;
      if (!(found instanceof ModelError)) throw found;
      const without = builtOn(found.model, all);
      if (found instanceof OtherColumns) {
        await noteBehind(warehouse, without);
        continue;
      }
      if (!options.onBroken) throw found.reason;
      for (const name of without) leftOut.add(name);
      options.onBroken({ name: found.model, error: found.reason, leftOut: without });
    }
  }
}

/** Has the next build make some tables whole. */
async function noteBehind(warehouse: Statements, tables: ReadonlySet<string>): Promise<void> {
  const [state] = await warehouse.query<{ inputs: string | null }>('SELECT inputs FROM firn.build_state');
  await warehouse.run('UPDATE firn.build_state SET inputs = $1', [withBehind(state?.inputs ?? null, [...tables])]);
}

/** A model and all that is built on it. */
export function builtOn(name: string, models: readonly PlacedModel[]): ReadonlySet<string> {
  const references = new Map(models.map((model) => [model.name, model.references]));
  const found = dependents([name], references);
  if (!changeModels.some((model) => found.has(model))) return found;
  const byBlocks = models.filter(isByBlocks);
  return dependents([...found, ...byBlocks.map((model) => model.name)], references);
}

/** The models as they are, where the same files were built and nothing came since; undefined where there is something to do. */
async function builtBefore(warehouse: Statements, filesHash: string): Promise<BuiltModel[] | undefined> {
  const [state] = await warehouse.query<{ models_hash: string; inputs: string | null }>(
    // Models that could not be built are tried again.
    `SELECT models_hash, inputs FROM firn.build_state WHERE files_hash = $1 AND load_id = $2 AND NOT EXISTS (SELECT 1 FROM firn.held_back)`,
    [filesHash, await newestChange(warehouse)],
  );
  if (!state || !(await isSameWithoutLoad(warehouse, state.inputs))) return undefined;
  const built = await warehouse.query<Omit<BuiltModel, 'rows' | 'seconds'> & { rows: bigint }>(
    `SELECT m.name, CASE WHEN t.table_name IS NULL THEN 'view' ELSE 'table' END AS kind, m."rows", m.sql_hash AS hash
     FROM firn.model AS m LEFT JOIN duckdb_tables() AS t
       ON t.database_name = current_database() AND t.schema_name || '.' || t.table_name = m.name`,
  );
  if (hashOfTables(built) !== state.models_hash) return undefined;
  return built.map((model) => ({ ...model, rows: Number(model.rows), seconds: 0 }));
}

/** The same error, naming the block. Each probe is a transaction that is rolled back. */
async function located(warehouse: Warehouse, models: readonly PlacedModel[], stop: BuildStop): Promise<Error> {
  const { chain, model: name } = stop.where;
  const model = models.find((candidate) => candidate.name === name);
  if (!model) return stop;
  const error = await overflowError(stop, `${model.file}:${model.line}`, async (low, high) => {
    await warehouse.transaction(async (tx) => {
      await createModels(tx, models, [], models);
      await insertHeights(tx, model, chain, low, high);
    }, false);
  });
  return new ModelError(name, error);
}
