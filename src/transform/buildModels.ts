import { createHash } from 'node:crypto';
import type { Warehouse } from '../load/warehouse.ts';
import { type BucketRun, bucketRuns, joinRuns } from './bucketRuns.ts';
import { secondsOf } from './bucketTime.ts';
import { buildBuckets, buildCumulative, firstDays } from './buildBuckets.ts';
import { buildEarliest } from './buildEarliest.ts';
import { buildHours } from './buildHours.ts';
import { coverageChanges, rememberCoverage, updateStates } from './coverageChanges.ts';
import { createModels } from './createModels.ts';
import { type DirtyRange, dirtyRanges } from './dirtyRanges.ts';
import type { Model, PlacedModel } from './model.ts';
import { placeModels } from './placeModels.ts';
import { readModels } from './readModels.ts';

export interface BuildOptions {
  readonly runId?: string;
  /** Build everything again, whatever changed. */
  readonly full?: boolean;
  /** Other models than those of the package. */
  readonly models?: readonly Model[];
  readonly log?: (message: string) => void;
}

/** What became of a model. */
export interface BuiltModel {
  readonly name: string;
  readonly kind: 'view' | 'table';
  /** Rows of the table; 0 for a view, which is not counted. */
  readonly rows: number;
  readonly seconds: number;
  readonly hash: string;
}

/** What changed since the last build, gathered while the models are built one after the other. */
interface Changes {
  readonly ranges: readonly DirtyRange[];
  runs: readonly BucketRun[];
  cumulativeFrom: Map<string, number>;
}

/**
 * Builds the models of `sql/models` in the order of their references, all in one transaction. Tables kept by time, bucket or first sight
 * are brought up to date where blocks were loaded since the last build; a model whose SQL changed builds everything again.
 *
 * @throws FirnError `contract` when an amount does not fit 38 digits, with the block; `failed` for models that are wrong
 */
export async function buildModels(warehouse: Warehouse, options: BuildOptions = {}): Promise<BuiltModel[]> {
  const models = await placeModels(warehouse, options.models ?? (await readModels()));
  const hash = createHash('sha256')
    .update(models.map((model) => model.hash).join('\n'))
    .digest('hex');
  await warehouse.run('BEGIN TRANSACTION');
  try {
    const built = await buildAll(warehouse, models, hash, options);
    await warehouse.run('COMMIT');
    return built;
  } catch (error) {
    await warehouse.run('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function buildAll(
  warehouse: Warehouse,
  models: readonly PlacedModel[],
  hash: string,
  options: BuildOptions,
): Promise<BuiltModel[]> {
  const [state] = await warehouse.query<{ load_id: bigint; models_hash: string }>(
    'SELECT load_id, models_hash FROM firn.build_state',
  );
  const afresh = options.full === true || state?.models_hash !== hash;
  await createModels(warehouse, models, afresh);
  const [newest] = await warehouse.query<{ load_id: bigint }>(
    'SELECT coalesce(max(load_id), 0) AS load_id FROM firn.load',
  );
  const ranges = await dirtyRanges(warehouse, afresh ? -1n : (state?.load_id ?? -1n));
  // Genesis has no bucket.
  const counted = ranges.filter(({ first, last }) => first !== 0n || last !== 0n);
  const stretches = counted.map(({ chain, from, until }) => ({
    chain,
    from: secondsOf(from),
    until: secondsOf(until),
  }));
  const runs = bucketRuns(stretches);
  const changes: Changes = { ranges, runs, cumulativeFrom: firstDays(runs) };
  options.log?.(`${ranges.length} stretches of blocks to build${afresh ? ', everything afresh' : ''}`);
  const built: BuiltModel[] = [];
  for (const model of models) {
    const begun = performance.now();
    await buildOne(warehouse, model, changes);
    const isView = model.keptAs.kind === 'view';
    const [count] = isView
      ? []
      : await warehouse.query<{ rows: bigint }>(`SELECT count(*) AS "rows" FROM ${model.name}`);
    const rows = Number(count?.rows ?? 0);
    const seconds = (performance.now() - begun) / 1000;
    built.push({ name: model.name, kind: isView ? 'view' : 'table', rows, seconds, hash: model.hash });
    if (!isView) {
      await warehouse.run('UPDATE firn.model SET "rows" = $2, seconds = $3 WHERE name = $1', [
        model.name,
        BigInt(rows),
        seconds,
      ]);
      options.log?.(`${model.name}: ${rows} rows, ${seconds.toFixed(2)} s`);
    }
  }
  await updateStates(warehouse);
  await warehouse.run('DELETE FROM firn.build_state');
  await warehouse.run('INSERT INTO firn.build_state VALUES ($1, $2, now()::TIMESTAMP)', [newest?.load_id ?? 0n, hash]);
  return built;
}

async function buildOne(warehouse: Warehouse, model: PlacedModel, changes: Changes): Promise<void> {
  const { keptAs } = model;
  switch (keptAs.kind) {
    case 'view':
      return;
    case 'hours':
      return buildHours(warehouse, model, keptAs.column, changes.ranges);
    case 'earliest':
      return buildEarliest(warehouse, model, keptAs.key, changes.ranges);
    case 'buckets':
      await buildBuckets(warehouse, model, changes.runs);
      if ('metric' in model.columns) await buildCumulative(warehouse, model, changes.cumulativeFrom);
      return;
    case 'table':
      if (model.name === 'firn.coverage') return buildCoverage(warehouse, model, changes);
      return buildTable(warehouse, model);
  }
}

async function buildTable(warehouse: Warehouse, model: PlacedModel): Promise<void> {
  await warehouse.run(`DELETE FROM ${model.name}`);
  await warehouse.run(`INSERT INTO ${model.name} ${model.sql}`);
}

/** Coverage is small and built whole; what it says of other buckets than the touched ones makes them dirty too. */
async function buildCoverage(warehouse: Warehouse, model: PlacedModel, changes: Changes): Promise<void> {
  await rememberCoverage(warehouse);
  await buildTable(warehouse, model);
  const { runs, cumulativeFrom } = await coverageChanges(warehouse);
  changes.runs = joinRuns([...changes.runs, ...runs]);
  for (const [chain, day] of cumulativeFrom) {
    changes.cumulativeFrom.set(chain, Math.min(changes.cumulativeFrom.get(chain) ?? day, day));
  }
}
