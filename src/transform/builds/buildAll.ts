import { newestChange } from '../../load/commit/checkpoints.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { dirtyRanges } from '../changes/dirtyRanges.ts';
import { haveSameChains, inputStates, isSameWithoutLoad, tablesBehind, withBehind } from '../changes/inputStates.ts';
import { stayingTables, toldModels } from '../changes/inputsOf.ts';
import { hoursOf, noteRebuilt, underHours } from '../changes/noteRebuilt.ts';
import { touchedStretches } from '../changes/touchedStretches.ts';
import { isByBlocks, type Model, type PlacedModel } from '../models/model.ts';
import { aboutModel, ModelError } from '../models/modelError.ts';
import { withCompared } from './buildChanged.ts';
import { buildModel, type Changes, coverage } from './buildModel.ts';
import { type BuiltModel, kindOf, versionOf } from './builtModel.ts';
import { createModels } from './createModels.ts';
import { type FrozenRows, keepFrozen } from './frozenRows.ts';
import { noteBuilt } from './noteBuilt.ts';

/** The relations that tell which blocks changed: without them nothing that is kept by blocks can be brought up to date. */
export const changeModels = ['staging.evm_block', 'staging.evm_change', 'mart.fct_block'];

interface Placed {
  readonly all: readonly PlacedModel[];
  /** The models to build; all others stay as they are. */
  readonly models: readonly PlacedModel[];
  readonly filesHash: string;
}

/** Those of the models that follow changed blocks or hours, and miss what came while they could not be built. */
export function leftBehind(models: readonly PlacedModel[], inputs: string | null): readonly PlacedModel[] {
  const behind = new Set(tablesBehind(inputs));
  return models.filter((model) => behind.has(model.name.toLowerCase()) && isOfBlocks(model));
}

const isOfBlocks = (model: PlacedModel) => isByBlocks(model) || hoursOf(model) !== undefined || model.name === coverage;

/** What the last build noted. */
interface LastBuild {
  readonly load_id: bigint;
  readonly models_hash: string;
  readonly files_hash: string;
  readonly inputs: string | null;
}

/** A build under way. */
interface Build extends Placed {
  readonly last: LastBuild | undefined;
  /** The last build, whose tables are brought up to date; undefined where all are built afresh. */
  readonly before: LastBuild | undefined;
  /** Models that stay as they are. */
  readonly stay: readonly PlacedModel[];
  /** Whether the relations that tell which blocks changed are built. */
  readonly canTell: boolean;
}

const none: ReadonlySet<string> = new Set();

/** Builds models, all inside the open transaction, and notes what they hold then. */
export async function buildAll(warehouse: Statements, placed: Placed): Promise<BuiltModel[]> {
  const { all, models } = placed;
  for (const { name, problem } of models) if (problem) throw new ModelError(name, problem);
  const [last] = await warehouse.query<LastBuild>(
    'SELECT load_id, models_hash, files_hash, inputs FROM firn.build_state',
  );
  const before = last?.models_hash === versionOf(all) ? last : undefined;
  const stay = all.filter((model) => !models.includes(model));
  const canTell = !stay.some(({ name }) => changeModels.includes(name));
  const build: Build = { ...placed, last, before, stay, canTell };
  const late = before ? leftBehind(models, before.inputs) : [];
  const { made, frozen } = await prepareTables(warehouse, build, before ? late : models);
  const loadId = await newestChange(warehouse);
  const changes = await changesNow(warehouse, build, { made, frozen: before ? undefined : frozen, loadId });
  const missed = late.length > 0 ? await changesSince(warehouse, build, -1n, frozen) : undefined;
  const inputs = await inputStates(warehouse, models, before ?? null);
  const isFilled = ({ name }: PlacedModel) => !made.has(name.toLowerCase());
  const staying = before ? stayingTables(models.filter(isFilled), hasBlocks(changes), inputs.isSame) : none;
  const isBuilt = ({ name }: PlacedModel) => changes !== null && !staying.has(name.toLowerCase());
  const isGrown = (relation: string) => staying.has(relation) || inputs.isGrown(relation);
  const { built, same } = await buildEach(warehouse, {
    models,
    changesOf: (model) => (isBuilt(model) ? (late.includes(model) && missed) || changes : null),
    told: toldModels(models, isGrown).filter((model) => isBuilt(model) && isFilled(model)),
    watched: before ? underHours(models) : none,
  });
  if (changes) {
    const ranges = before && canTell ? changes.ranges : undefined;
    const held = new Set([...staying, ...same]);
    const { stretches } = changes;
    await noteRebuilt(warehouse, { models, ranges, stretches, late, staying: held, isSame: inputs.isSame });
  }
  // What audits passed over as no chain's is looked at, with all else; so is what other models made of rows that passed.
  if (last && !(before && haveSameChains(last.inputs, inputs.text)))
    await warehouse.run('DELETE FROM firn.audit_state');
  await noteState(warehouse, build, loadId, changes ? inputs.text : (last?.inputs ?? '{}'));
  return noteBuilt(warehouse, built, changes && staying);
}

/**
 * Brings tables and views in line with the models.
 *
 * @param afresh models whose tables begin empty, but for what cannot be built again
 * @returns tables that hold nothing of what was read, by lower-case names
 */
async function prepareTables(
  warehouse: Statements,
  { models, stay, filesHash, last }: Build,
  afresh: readonly PlacedModel[],
): Promise<{ readonly made: ReadonlySet<string>; readonly frozen: FrozenRows | undefined }> {
  const frozen = afresh.length > 0 ? await keepFrozen(warehouse, afresh) : undefined;
  const isOther = last?.files_hash !== filesHash;
  const created = isOther ? await createModels(warehouse, models, stay, afresh) : [];
  if (!isOther) await emptyTables(warehouse, afresh);
  await frozen?.putBack();
  return { made: new Set([...created, ...tablesBehind(last?.inputs ?? null)]), frozen };
}

/** What changed since the last build; null for nothing at all. */
async function changesNow(
  warehouse: Statements,
  build: Build,
  { made, frozen, loadId }: { made: ReadonlySet<string>; frozen: FrozenRows | undefined; loadId: bigint },
): Promise<Changes | null> {
  const since = build.before?.load_id ?? -1n;
  const isSame =
    made.size === 0 && since === loadId && (await isSameWithoutLoad(warehouse, build.last?.inputs ?? null));
  return isSame ? null : changesSince(warehouse, build, since, frozen);
}

interface EachBuild {
  /** In building order. */
  readonly models: readonly PlacedModel[];
  /** What a model is built with; null for one that is not built. */
  readonly changesOf: (model: PlacedModel) => Changes | null;
  /** Those whose headers tell all that may have changed in them. */
  readonly told: readonly PlacedModel[];
  /** Tables of which somebody asks whether they are what they were, by lower-case names. */
  readonly watched: ReadonlySet<string>;
}

/** Builds models one after the other. @returns those too that are known to hold what they held, by lower-case names */
async function buildEach(
  warehouse: Statements,
  { models, changesOf, told, watched }: EachBuild,
): Promise<{ readonly built: readonly BuiltModel[]; readonly same: readonly string[] }> {
  const built: BuiltModel[] = [];
  const same: string[] = [];
  await withCompared(warehouse, models, told, async () => {
    for (const model of models) {
      const changes = changesOf(model);
      const name = model.name.toLowerCase();
      const how = { isTold: told.includes(model), isWatched: watched.has(name) };
      const startedAt = performance.now();
      if (changes && (await aboutModel(model, () => buildModel(warehouse, model, changes, how)))) same.push(name);
      const seconds = changes ? (performance.now() - startedAt) / 1000 : 0;
      built.push({ name: model.name, kind: kindOf(model), rows: 0, seconds, hash: model.hash });
    }
  });
  return { built, same };
}

/**
 * Notes what the tables hold now. What stayed as it was misses all that has changed since: the next build makes it whole, or begins afresh where
 * nobody could tell what changed.
 *
 * @param inputs what is beneath the tables
 */
async function noteState(
  warehouse: Statements,
  { all, filesHash, stay, canTell }: Build,
  loadId: bigint,
  inputs: string,
): Promise<void> {
  const hashes = canTell ? [versionOf(all), stay.length === 0 ? filesHash : ''] : ['', ''];
  const behind = stay.filter((model) => kindOf(model) === 'table' || isOfBlocks(model)).map(({ name }) => name);
  await warehouse.run('DELETE FROM firn.build_state');
  await warehouse.run(
    'INSERT INTO firn.build_state (load_id, models_hash, files_hash, built_at, inputs) VALUES ($1, $2, $3, now()::TIMESTAMP, $4)',
    [loadId, ...hashes, withBehind(inputs, behind)],
  );
}

/** Whether blocks came, changed or went. */
export const hasBlocks = (changes: Pick<Changes, 'ranges' | 'stretches'> | null): boolean =>
  changes !== null && (changes.ranges.length > 0 || changes.stretches.length > 0);

async function emptyTables(warehouse: Statements, models: readonly PlacedModel[]): Promise<void> {
  const tables = models.filter(({ keptAs }) => keptAs.kind !== 'view');
  if (tables.length > 0) await warehouse.run(tables.map(({ name }) => `DELETE FROM ${name}`).join('; '));
}

/** What the loads after `since` touched; -1 for everything. No blocks where nothing tells which changed, and nothing needs to know. */
async function changesSince(
  warehouse: Statements,
  { models, canTell }: Build,
  since: bigint,
  frozen: FrozenRows | undefined,
): Promise<Changes> {
  const ranges = canTell ? await dirtyRanges(warehouse, since) : [];
  const past = (canTell && (await frozen?.past())) || [];
  return { levels: levelsOf(models), ranges, ...touchedStretches(ranges, past), frozen, past, since };
}

/** The metrics that change with all that was before them. */
export const levelsOf = (models: readonly Model[]) =>
  models.flatMap(({ metric }) => (metric?.needs.sinceGenesis ? [metric.name] : []));
