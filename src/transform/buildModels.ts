import type { FirnError } from '../core/firnError.ts';
import { newestChange } from '../load/checkpoints.ts';
import { sha256 } from '../load/sha256.ts';
import type { Statements } from '../load/transaction.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { forgetCompared, keepCompared } from './buildChanged.ts';
import { insertHeights } from './buildHours.ts';
import { buildModel, type Changes } from './buildModel.ts';
import { createModels } from './createModels.ts';
import { dependents } from './dependents.ts';
import { dirtyRanges } from './dirtyRanges.ts';
import { type FrozenRows, keepFrozen } from './frozenRows.ts';
import { areSameChains, inputStates, isSameWithoutLoad, tablesBehind, withBehind } from './inputStates.ts';
import { stayingTables, toldModels } from './inputsOf.ts';
import { isByBlocks, type Model, type PlacedModel } from './model.ts';
import { aboutModel, ModelError } from './modelError.ts';
import { hoursOf, noteRebuilt, underHours } from './noteRebuilt.ts';
import { BuildStop, overflowError } from './overflowError.ts';
import { placeModels } from './placeModels.ts';
import { readModels } from './readModels.ts';
import { leaveScopes } from './scope.ts';
import { touchedStretches } from './touchedStretches.ts';

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

/** The outcome of a model. */
export interface BuiltModel {
  readonly name: string;
  readonly kind: 'view' | 'table';
  /** Rows of the table; 0 for a view, which is not counted. */
  readonly rows: number;
  /** 0 where it was not built, since nothing beneath it changed. */
  readonly seconds: number;
  readonly hash: string;
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
      if (!options.onBroken) throw found.reason;
      const without = builtOn(found.model, all);
      for (const name of without) leftOut.add(name);
      options.onBroken({ name: found.model, error: found.reason, leftOut: without });
    }
  }
}

/** The relations that tell which blocks changed: without them nothing that is kept by blocks can be brought up to date. */
const changeModels = ['staging.evm_block', 'staging.evm_change', 'mart.fct_block'];

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
      await createModels(tx, models, [], true);
      await insertHeights(tx, model, chain, low, high);
    }, false);
  });
  return new ModelError(name, error);
}

interface Placed {
  readonly all: readonly PlacedModel[];
  /** The models to build; all others stay as they are. */
  readonly models: readonly PlacedModel[];
  readonly filesHash: string;
}

/** Those of the models that are kept by blocks or hours, and miss what came while they could not be built. */
export function leftBehind(models: readonly PlacedModel[], inputs: string | null): readonly PlacedModel[] {
  const behind = new Set(tablesBehind(inputs));
  return models.filter((model) => behind.has(model.name.toLowerCase()) && isOfBlocks(model));
}

const isOfBlocks = (model: PlacedModel) => isByBlocks(model) || hoursOf(model) !== undefined;

async function buildAll(warehouse: Statements, { all, models, filesHash }: Placed): Promise<BuiltModel[]> {
  for (const { name, problem } of models) if (problem) throw new ModelError(name, problem);
  const modelsHash = versionOf(all);
  const [state] = await warehouse.query<{
    load_id: bigint;
    models_hash: string;
    files_hash: string;
    inputs: string | null;
  }>('SELECT load_id, models_hash, files_hash, inputs FROM firn.build_state');
  const afresh = state?.models_hash !== modelsHash;
  const frozen = afresh ? await keepFrozen(warehouse, models) : undefined;
  const stay = all.filter((model) => !models.includes(model));
  const isOther = state?.files_hash !== filesHash;
  const created = isOther ? await createModels(warehouse, models, stay, afresh) : [];
  const made = new Set([...created, ...tablesBehind(state?.inputs ?? null)]);
  if (afresh && !isOther) await emptyTables(warehouse, models);
  await frozen?.putBack();
  const loadId = await newestChange(warehouse);
  const since = afresh ? -1n : state.load_id;
  const canTell = !stay.some(({ name }) => changeModels.includes(name));
  const isSame = made.size === 0 && since === loadId && (await isSameWithoutLoad(warehouse, state?.inputs ?? null));
  const changes = isSame ? null : await changesSince(warehouse, since, frozen, canTell, levelsOf(models));
  const late = afresh ? [] : leftBehind(models, state.inputs);
  const lateChanges = late.length > 0 ? await beginLate(warehouse, late, canTell, levelsOf(models)) : undefined;
  const inputs = await inputStates(warehouse, models, afresh ? null : state);
  const isFilled = ({ name }: PlacedModel) => !made.has(name.toLowerCase());
  const staying = afresh
    ? new Set<string>()
    : stayingTables(models.filter(isFilled), hasBlocks(changes), inputs.isSame);
  const isBuilt = ({ name }: PlacedModel) => changes !== null && !staying.has(name.toLowerCase());
  const told = toldModels(models, (relation) => staying.has(relation) || inputs.isGrown(relation)).filter(
    (model) => isBuilt(model) && isFilled(model),
  );
  await keepCompared(warehouse, models, told);
  const built: BuiltModel[] = [];
  const same = new Set(staying);
  const watched = afresh ? new Set<string>() : underHours(models);
  for (const model of models) {
    let seconds = 0;
    if (changes && isBuilt(model)) {
      const startedAt = performance.now();
      const name = model.name.toLowerCase();
      const how = { isTold: told.includes(model), isWatched: watched.has(name) };
      const missed = lateChanges && late.includes(model) ? lateChanges : changes;
      if (await aboutModel(model, () => buildModel(warehouse, model, missed, how))) same.add(name);
      seconds = (performance.now() - startedAt) / 1000;
    }
    built.push({
      name: model.name,
      kind: kindOf(model),
      rows: 0,
      seconds,
      hash: model.hash,
    });
  }
  await forgetCompared(warehouse, models, told);
  if (changes)
    await noteRebuilt(warehouse, {
      models,
      ranges: afresh || !canTell ? undefined : changes.ranges,
      late,
      staying: same,
      isSame: inputs.isSame,
    });
  // What audits passed over as no chain's is looked at, with all else.
  if (state && !(await areSameChains(warehouse, state.inputs))) await warehouse.run('DELETE FROM firn.audit_state');
  const read = changes ? inputs.text : (state?.inputs ?? '{}');
  // What stayed as it was misses all that has changed since: the next build makes it whole, or starts from scratch where nobody could tell what changed.
  const hashes = canTell ? [modelsHash, stay.length === 0 ? filesHash : ''] : ['', ''];
  const behind = stay.filter((model) => kindOf(model) === 'table' || isOfBlocks(model)).map(({ name }) => name);
  await warehouse.run('DELETE FROM firn.build_state');
  await warehouse.run(
    'INSERT INTO firn.build_state (load_id, models_hash, files_hash, built_at, inputs) VALUES ($1, $2, $3, now()::TIMESTAMP, $4)',
    [loadId, ...hashes, withBehind(read, behind)],
  );
  return noteBuilt(warehouse, built, changes && staying);
}

/** Empties tables that miss what came while they could not be built, but for what cannot be built again; gives what is to be built of them: all. */
async function beginLate(
  warehouse: Statements,
  late: readonly PlacedModel[],
  canTell: boolean,
  levels: readonly string[],
): Promise<Changes> {
  const frozen = await keepFrozen(warehouse, late);
  await emptyTables(warehouse, late);
  await frozen?.putBack();
  return changesSince(warehouse, -1n, frozen, canTell, levels);
}

const hasBlocks = (changes: Changes | null) =>
  changes !== null && (changes.ranges.length > 0 || changes.stretches.length > 0);

async function emptyTables(warehouse: Statements, models: readonly PlacedModel[]): Promise<void> {
  const tables = models.filter(({ keptAs }) => keptAs.kind !== 'view');
  if (tables.length > 0) await warehouse.run(tables.map(({ name }) => `DELETE FROM ${name}`).join('; '));
}

export const kindOf = ({ keptAs }: Model): BuiltModel['kind'] => (keptAs.kind === 'view' ? 'view' : 'table');

/** The version of all models together. */
export const versionOf = (models: readonly PlacedModel[]): string =>
  hashOfTables(models.map((model) => ({ name: model.name, hash: model.hash, kind: kindOf(model) })));

/** A view that becomes a table, and a table that gets another name, have no rows yet, though their SQL is the same. */
const hashOfTables = (models: readonly Pick<BuiltModel, 'name' | 'hash' | 'kind'>[]): string =>
  hashOf(models.map(({ name, hash, kind }) => `${name} ${hash} ${kind}`).sort());

const hashOf = (parts: readonly string[]): string => sha256(parts.join('\n'));

/** What the loads after `since` touched; -1 for everything. No blocks where nothing tells which changed, and nothing needs to know. */
async function changesSince(
  warehouse: Statements,
  since: bigint,
  frozen: FrozenRows | undefined,
  canTell: boolean,
  levels: readonly string[],
): Promise<Changes> {
  const ranges = canTell ? await dirtyRanges(warehouse, since) : [];
  const past = (canTell && (await frozen?.past())) || [];
  return { levels, ranges, ...touchedStretches(ranges, past), frozen, past, since };
}

/** The metrics that change with all that was before them. */
export const levelsOf = (models: readonly Model[]) =>
  models.flatMap(({ metric }) => (metric?.needs.sinceGenesis ? [metric.name] : []));

/**
 * Counts the rows of every table and notes them in `firn.model`.
 *
 * @param staying tables that were not built, by lower-case names; null where none was
 */
async function noteBuilt(
  warehouse: Statements,
  built: readonly BuiltModel[],
  staying: ReadonlySet<string> | null,
): Promise<BuiltModel[]> {
  const tables = built.filter(({ kind }) => kind === 'table');
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*) AS "rows" FROM ${name}`);
  const rows =
    tables.length > 0 ? await warehouse.query<{ name: string; rows: bigint }>(counts.join(' UNION ALL ')) : [];
  const byName = new Map(rows.map((row) => [row.name, Number(row.rows)]));
  const counted = built.map((model) => ({ ...model, rows: byName.get(model.name) ?? 0 }));
  if (!staying) return counted;
  const values = counted.map(({ name, rows: count, seconds }) => {
    return `('${name}', ${count}, ${seconds}, ${staying.has(name.toLowerCase())})`;
  });
  await warehouse.run(
    `UPDATE firn.model AS m SET "rows" = b."rows", seconds = CASE WHEN stays THEN m.seconds ELSE b.seconds END,
       built_at = CASE WHEN stays THEN m.built_at ELSE now()::TIMESTAMP END
     FROM (VALUES ${values.join(', ')}) AS b (name, "rows", seconds, stays) WHERE b.name = m.name`,
  );
  return counted;
}
