import { FirnError, hasCode } from '../../core/firnError.ts';
import { literal } from '../../core/text/sqlText.ts';
import { throwIfAborted } from '../../extract/interruption.ts';
import { hasBlocks, levelsOf } from '../../transform/builds/buildAll.ts';
import { inTouchedBuckets, type TouchedBuckets, touchedScopes } from '../../transform/builds/buildBuckets.ts';
import { inHours } from '../../transform/builds/buildHours.ts';
import { coverage } from '../../transform/builds/buildModel.ts';
import { type BrokenModel, builtOn } from '../../transform/builds/buildModels.ts';
import { type BuiltModel, kindOf } from '../../transform/builds/builtModel.ts';
import { narrowed } from '../../transform/builds/narrowed.ts';
import { coverageChanges } from '../../transform/changes/coverageChanges.ts';
import type { DirtyRange } from '../../transform/changes/dirtyRanges.ts';
import { inputsOf, stayingTables } from '../../transform/changes/inputsOf.ts';
import { addTouched, touchedStretches } from '../../transform/changes/touchedStretches.ts';
import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { PlacedModel } from '../../transform/models/model.ts';
import type { Scope } from '../../transform/scope.ts';
import type { Engine } from '../contract.ts';
import { queryEach } from '../engine/queryEach.ts';
import { columnsByRelation, ownSchemas } from '../engine/relationSchemas.ts';
import { bare } from '../relationName.ts';
import { type Rendering, renderForTrino } from '../render/renderForTrino.ts';
import { heldRelations } from './ensureLakeTables.ts';
import { lakeChanges } from './lakeChanges.ts';
import type { LastBuild } from './lakeCut.ts';
import { frozenTable, putBackFrozen } from './putBackFrozen.ts';
import { earliestSql, replaceSql } from './replaceSql.ts';

export interface LakeBuildOptions {
  readonly engine: Engine;
  readonly models: readonly PlacedModel[];
  readonly rendering: Rendering;
  /** Omitted where everything is built from scratch. */
  readonly since?: Since | undefined;
  /** Called for a model that fails; the others are built without it and whatever reads it. */
  readonly onBroken: (broken: BrokenModel) => void;
  readonly signal?: AbortSignal | undefined;
  readonly log?: ((message: string) => void) | undefined;
}

/** What the tables show, and what has arrived since. */
export interface Since {
  /** Loads that they do not show. */
  readonly loads: readonly number[];
  readonly last: LastBuild;
  /** Whether a relation that no model builds still holds what it held then. */
  readonly isSame: (relation: string) => boolean;
}

interface Changes extends TouchedBuckets {
  readonly ranges: readonly DirtyRange[];
}

/**
 * Builds the models that are kept as tables, in the order of their references: from scratch, or only what changed, in one commit per table
 * and range. Readers of a published version see none of it. It may be run again at any time.
 */
export async function buildLake(options: LakeBuildOptions): Promise<BuiltModel[]> {
  const { engine, models, rendering, since, onBroken, signal, log } = options;
  const leftOut = new Set<string>();
  const seconds = new Map<string, number>();
  const changes = since && (await changesOf(options, since));
  const carried = changes && changes.ranges.length > 0 ? models.filter(({ keptAs }) => isCarried(keptAs)) : [];
  const columnsOf = await columnsIn(
    engine,
    carried.map(({ name }) => name),
  );
  const inputs = inputsOf(models);
  const staying = since && changes ? stayingTables(models, hasBlocks(changes), since.isSame) : new Set<string>();
  const late = new Set(since?.last.behind);
  const isHeld = await heldRelations(engine);
  const bringUp = async (model: PlacedModel) => {
    if (model.problem) throw model.problem;
    const name = model.name.toLowerCase();
    // Somebody may have dropped it.
    const isWhole = !changes || late.has(name) || !isHeld(name);
    const stays = !isWhole && staying.has(name);
    if (!stays && !isWhole && isCarried(model.keptAs)) await carryOn(options, model, columnsOf(name), changes);
    else if (!stays) await engine.build(model.name, renderForTrino(model.sql, rendering));
    const isFrozen = isWhole && isHeld(frozenTable(model.name));
    // Its own columns may be new.
    if (isFrozen) await putBackFrozen(engine, model, await columnsIn(engine, [model.name, frozenTable(model.name)]));
    const hasNewCoverage = since && !staying.has(coverage);
    if (changes && hasNewCoverage && model.name === coverage) await takeCoverage(engine, since.last, changes);
    if ((hasNewCoverage || isFrozen) && model.name === 'mart.metric') await engine.run(statesSql(engine));
  };
  const buildOne = async (model: PlacedModel) => {
    throwIfAborted(signal);
    if (leftOut.has(model.name.toLowerCase())) return;
    const begun = performance.now();
    try {
      await bringUp(model);
    } catch (error) {
      // A passing failure or a lost connection is not the model's fault.
      if (!hasCode(error, 'failed')) throw error;
      const without = builtOn(model.name, models);
      for (const name of without) leftOut.add(name);
      onBroken({ name: model.name, error: located(model, error), leftOut: without });
    }
    seconds.set(model.name, (performance.now() - begun) / 1000);
    log?.(`${model.name}: ${seconds.get(model.name)?.toFixed(1)} s`);
  };
  await inOrder(models, inputs, buildOne);
  const built = models.filter(({ name }) => !leftOut.has(name.toLowerCase()));
  const tables = built.map(({ name }) => name).filter((name) => seconds.has(name));
  const rows = await countRows(engine, tables);
  return built.map((model) => ({
    name: model.name,
    kind: kindOf(model),
    rows: rows.get(model.name) ?? 0,
    seconds: seconds.get(model.name) ?? 0,
    hash: model.hash,
  }));
}

/** Tables that are built at once: planning takes most of the time of each, on one machine of the engine. */
const atOnce = 3;

/**
 * Does work on each model that is kept as a table, some at once, and on none before those that it reads. Nothing is still running when this
 * ends, even by an error.
 */
async function inOrder(
  models: readonly PlacedModel[],
  inputs: ReturnType<typeof inputsOf>,
  work: (model: PlacedModel) => Promise<void>,
): Promise<void> {
  const begun = new Map<string, Promise<void>>();
  const begin = (model: PlacedModel) => {
    // Coverage tells which buckets are dirty besides those of changed blocks, so it is built before all others.
    const below = [coverage, ...(inputs.get(model.name) ?? [])].flatMap((name) => begun.get(name) ?? []);
    const done = Promise.all(below).then(() => work(model));
    begun.set(model.name.toLowerCase(), done);
    return done;
  };
  const tables = models.filter(({ keptAs }) => keptAs.kind !== 'view');
  try {
    await mapAtOnce(tables, atOnce, begin);
  } finally {
    await Promise.allSettled(begun.values());
  }
}

async function changesOf(
  { engine, models, rendering, log }: LakeBuildOptions,
  { loads, last, isSame }: Since,
): Promise<Changes> {
  // A chain may become known without a load.
  const isNews = loads.length > 0 || !isSame('firn.chain');
  const ranges = isNews ? await lakeChanges(engine, rendering, loads, last) : [];
  log?.(`${ranges.length} stretches of blocks to build`);
  return { levels: levelsOf(models), ranges, ...touchedStretches(ranges) };
}

/** Whether a table is brought up to date row by row, and not built whole. */
const isCarried = ({ kind }: PlacedModel['keptAs']): boolean => kind !== 'view' && kind !== 'table';

/** Brings a table that is kept by time, bucket or first sight up to date. */
async function carryOn(
  { engine, rendering }: LakeBuildOptions,
  model: PlacedModel,
  columns: readonly string[],
  changes: Changes,
): Promise<void> {
  const { name, sql, keptAs } = model;
  const { ranges } = changes;
  const table = engine.name(name);
  const words = (text: string, scope: Scope) => renderForTrino(text, { ...rendering, scope });
  if (keptAs.kind === 'hours') {
    for (const { chain, from, until, first, last } of ranges) {
      const rows = `t."${keptAs.column}" >= TIMESTAMP '${from}' AND t."${keptAs.column}" < TIMESTAMP '${until}'`;
      const own = narrowed(model, inHours(keptAs.column, { chain, from, until }));
      const select = words(own.sql, { firn_chain: chain, firn_first: first, firn_last: last });
      await engine.run(replaceSql(table, columns, { chain, rows, select }));
    }
  } else if (keptAs.kind === 'buckets') {
    const condition = inTouchedBuckets(model, changes, 't.');
    const own = narrowed(model, inTouchedBuckets(model, changes));
    for (const scope of touchedScopes(model, changes)) {
      const chain = String(scope['firn_chain']);
      await engine.run(
        replaceSql(table, columns, { chain, rows: words(condition, scope), select: words(own.sql, scope) }),
      );
    }
  } else if (keptAs.kind === 'earliest') {
    for (const chain of new Set(ranges.map((range) => range.chain))) {
      const own = ranges.filter((range) => range.chain === chain);
      const since = own.map(({ from }) => from).sort()[0] ?? '';
      const fresh = words(sql, { firn_chain: chain, firn_since: since });
      await engine.run(earliestSql(table, columns, { key: keptAs.key, chain, ranges: own, fresh }));
    }
  }
}

/** Buckets of which coverage now says something else are dirty too. */
async function takeCoverage(engine: Engine, { snapshots }: LastBuild, changes: Changes): Promise<void> {
  const before = engine.asOf(coverage, snapshots[coverage] ?? '');
  addTouched(changes, await coverageChanges(engine, changes.stretches, before, engine.name(coverage)));
}

/** Carries the states over: a newer block closes and settles buckets that did not change otherwise. */
const statesSql = (engine: Engine) => `MERGE INTO ${engine.name('mart.metric')} AS m USING ${engine.name(coverage)} AS c
ON c.chain_id = m.chain_id AND c.time_interval = m.time_interval AND c.bucket = m.bucket AND c.state <> m.state
WHEN MATCHED THEN UPDATE SET state = c.state`;

/** Asks for the columns of some tables, in their order: an engine opens each table that is named for them. */
async function columnsIn(engine: Engine, names: readonly string[]): Promise<(name: string) => readonly string[]> {
  const tables = names.map(bare);
  const named = [...tables, ...tables.map((table) => table.toLowerCase())].map(literal).join(', ');
  const rows =
    names.length === 0
      ? []
      : await engine.query<{ relation: string; column_name: string }>(
          `SELECT DISTINCT lower(table_schema || '.' || table_name) AS relation, column_name, ordinal_position FROM information_schema.columns
           WHERE ${ownSchemas(engine, { schemas: ['staging', 'mart', 'firn'] })} AND table_name IN (${named}) ORDER BY relation, ordinal_position`,
        );
  const columns = columnsByRelation(rows);
  return (name) => columns.get(engine.name(name).toLowerCase()) ?? [];
}

async function countRows(engine: Engine, tables: readonly string[]): Promise<Map<string, number>> {
  const query = (sql: string) => engine.query<{ name: string; held: bigint }>(sql);
  const count = (name: string) => `SELECT ${literal(name)} AS name, count(*) AS held FROM ${engine.name(name)}`;
  const rows = await queryEach(query, tables, count);
  return new Map(rows.map(({ name, held }) => [name, Number(held)]));
}

function located(model: PlacedModel, error: FirnError): FirnError {
  if (error === model.problem) return error;
  return new FirnError('failed', `${model.file}:${model.line}: ${error.message}`, { cause: error });
}
