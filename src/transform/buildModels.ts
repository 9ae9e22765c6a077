import { createHash } from 'node:crypto';
import { inTransaction } from '../load/inTransaction.ts';
import { newestChange } from '../load/newestChange.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { joinStretches, type Stretch } from './bucketStretches.ts';
import { bucketStart, secondsOf } from './bucketTime.ts';
import { buildBuckets } from './buildBuckets.ts';
import { buildEarliest } from './buildEarliest.ts';
import { buildHours, insertHeights } from './buildHours.ts';
import { coverageChanges, rememberCoverage, updateStates } from './coverageChanges.ts';
import { createModels } from './createModels.ts';
import { type DirtyRange, dirtyRanges } from './dirtyRanges.ts';
import { type FrozenRows, keepFrozen } from './frozenRows.ts';
import type { Model, PlacedModel } from './model.ts';
import { BuildStop, overflowError } from './overflowError.ts';
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
  stretches: readonly Stretch[];
  /** The first day by chain from which cumulative levels changed, Unix seconds. */
  readonly cumulativeFrom: Map<string, number>;
  /** What is kept of a past that cannot be computed again, while tables begin anew; and that past. */
  readonly frozen: FrozenRows | undefined;
  readonly past: readonly DirtyRange[];
}

/**
 * Builds the models of `sql/models` in the order of their references, all in one transaction. Tables kept by time, bucket or first sight
 * are brought up to date where blocks were loaded since the last build; a model whose SQL changed builds everything again.
 *
 * @throws FirnError `contract` when an amount does not fit 38 digits, with the block; `failed` for models that are wrong
 */
export async function buildModels(warehouse: Warehouse, options: BuildOptions = {}): Promise<BuiltModel[]> {
  const files = options.models ?? (await readModels());
  const filesHash = hashOf(
    files.map(({ name, description, columns, keptAs, sql }) =>
      JSON.stringify([name, description, columns, keptAs, sql]),
    ),
  );
  const before = options.full ? undefined : await builtBefore(warehouse, filesHash);
  if (before) {
    options.log?.('nothing new to build');
    return before;
  }
  const models = await placeModels(warehouse, files);
  try {
    return await inTransaction(warehouse, () => buildAll(warehouse, models, filesHash, options));
  } catch (error) {
    throw error instanceof BuildStop ? await located(warehouse, models, error) : error;
  }
}

/** The models as they are, where these very files were built and nothing came since; undefined where there is something to do. */
async function builtBefore(warehouse: Warehouse, filesHash: string): Promise<BuiltModel[] | undefined> {
  const [state] = await warehouse.query<{ models_hash: string }>(
    'SELECT models_hash FROM firn.build_state WHERE files_hash = $1 AND load_id = $2',
    [filesHash, await newestChange(warehouse)],
  );
  if (!state) return undefined;
  const built = await warehouse.query<Omit<BuiltModel, 'rows' | 'seconds'> & { rows: bigint }>(
    `SELECT m.name, CASE WHEN t.table_name IS NULL THEN 'view' ELSE 'table' END AS kind, m."rows", m.sql_hash AS hash
     FROM firn.model AS m LEFT JOIN duckdb_tables() AS t
       ON t.database_name = current_database() AND t.schema_name || '.' || t.table_name = m.name`,
  );
  if (hashOf(built.map(({ hash }) => hash).sort()) !== state.models_hash) return undefined;
  return built.map((model) => ({ ...model, rows: Number(model.rows), seconds: 0 }));
}

/** The same error with the block in it. Each look is a transaction that is taken back. */
function located(warehouse: Warehouse, models: readonly PlacedModel[], stop: BuildStop): Promise<Error> {
  const { chain, model: name } = stop.where;
  return overflowError(stop, async (low, high) => {
    const look = async () => {
      await createModels(warehouse, models, true);
      const model = models.find((candidate) => candidate.name === name);
      if (model) await insertHeights(warehouse, model, chain, low, high);
    };
    await inTransaction(warehouse, look, false);
  });
}

async function buildAll(
  warehouse: Warehouse,
  models: readonly PlacedModel[],
  filesHash: string,
  options: BuildOptions,
): Promise<BuiltModel[]> {
  const modelsHash = hashOf(models.map(({ hash }) => hash).sort());
  const [state] = await warehouse.query<{ load_id: bigint; models_hash: string; files_hash: string }>(
    'SELECT load_id, models_hash, files_hash FROM firn.build_state',
  );
  const afresh = options.full === true || state?.models_hash !== modelsHash;
  const frozen = afresh ? await keepFrozen(warehouse, models) : undefined;
  if (state?.files_hash !== filesHash) await createModels(warehouse, models, afresh);
  else if (afresh) await emptyTables(warehouse, models);
  await frozen?.putBack();
  const loadId = await newestChange(warehouse);
  const since = afresh ? -1n : state.load_id;
  const changes = since === loadId ? null : await changesSince(warehouse, since, frozen);
  options.log?.(
    changes
      ? `${changes.ranges.length} stretches of blocks to build${afresh ? ', everything afresh' : ''}`
      : 'nothing new to build',
  );
  const built: BuiltModel[] = [];
  for (const model of models) {
    const begun = performance.now();
    if (changes) await buildOne(warehouse, model, changes);
    const seconds = (performance.now() - begun) / 1000;
    built.push({
      name: model.name,
      kind: model.keptAs.kind === 'view' ? 'view' : 'table',
      rows: 0,
      seconds,
      hash: model.hash,
    });
  }
  await warehouse.run('DELETE FROM firn.build_state');
  await warehouse.run('INSERT INTO firn.build_state VALUES ($1, $2, $3, now()::TIMESTAMP)', [
    loadId,
    modelsHash,
    filesHash,
  ]);
  return noteBuilt(warehouse, built, changes !== null, options);
}

async function emptyTables(warehouse: Warehouse, models: readonly PlacedModel[]): Promise<void> {
  const tables = models.filter(({ keptAs }) => keptAs.kind !== 'view');
  await warehouse.run(tables.map(({ name }) => `DELETE FROM ${name}`).join('; '));
}

const hashOf = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex');

/** What loads after `since` touched; -1 for everything. */
async function changesSince(warehouse: Warehouse, since: bigint, frozen: FrozenRows | undefined): Promise<Changes> {
  const ranges = await dirtyRanges(warehouse, since);
  const past = (await frozen?.past()) ?? [];
  // Genesis has no bucket.
  const counted = [...past, ...ranges].filter(({ first, last }) => first !== 0n || last !== 0n);
  const stretches = counted.map(({ chain, from, until }) => ({
    chain,
    from: secondsOf(from),
    until: secondsOf(until),
  }));
  const cumulativeFrom = new Map<string, number>();
  for (const { chain, from } of stretches) noteFirst(cumulativeFrom, chain, bucketStart('day', from));
  return { ranges, stretches: joinStretches(stretches), cumulativeFrom, frozen, past };
}

function noteFirst(first: Map<string, number>, chain: string, day: number): void {
  first.set(chain, Math.min(first.get(chain) ?? day, day));
}

/** Counts the rows of every table and notes them in `firn.model`. */
async function noteBuilt(
  warehouse: Warehouse,
  built: readonly BuiltModel[],
  isChanged: boolean,
  { log }: BuildOptions,
): Promise<BuiltModel[]> {
  const tables = built.filter(({ kind }) => kind === 'table');
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*) AS "rows" FROM ${name}`);
  const rows =
    tables.length > 0 ? await warehouse.query<{ name: string; rows: bigint }>(counts.join(' UNION ALL ')) : [];
  const byName = new Map(rows.map((row) => [row.name, Number(row.rows)]));
  const counted = built.map((model) => ({ ...model, rows: byName.get(model.name) ?? 0 }));
  if (!isChanged) return counted;
  const values = counted.map(({ name, rows: count, seconds }) => `('${name}', ${count}, ${seconds})`).join(', ');
  await warehouse.run(
    `UPDATE firn.model AS m SET "rows" = b."rows", seconds = b.seconds, built_at = now()::TIMESTAMP
     FROM (VALUES ${values}) AS b (name, "rows", seconds) WHERE b.name = m.name`,
  );
  for (const { name, kind, rows: count, seconds } of counted) {
    if (kind === 'table') log?.(`${name}: ${count} rows, ${seconds.toFixed(2)} s`);
  }
  return counted;
}

async function buildOne(warehouse: Warehouse, model: PlacedModel, changes: Changes): Promise<void> {
  const { keptAs } = model;
  switch (keptAs.kind) {
    case 'view':
      return;
    case 'hours':
      return buildHours(warehouse, model, keptAs.column, changes.ranges);
    case 'earliest':
      // A model that is new knows nothing of the past yet.
      if (changes.frozen?.names.has(model.name)) return buildEarliest(warehouse, model, keptAs.key, changes.ranges);
      return buildEarliest(warehouse, model, keptAs.key, [...changes.past, ...changes.ranges]);
    case 'buckets':
      await buildBuckets(warehouse, model, changes.stretches, changes.cumulativeFrom);
      if (model.name !== 'mart.metric') return;
      // Before the tables that are made of it.
      await changes.frozen?.putBackMetrics();
      return updateStates(warehouse);
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
  const { stretches, cumulativeFrom } = await coverageChanges(warehouse, changes.stretches);
  if (stretches.length > 0) changes.stretches = joinStretches([...changes.stretches, ...stretches]);
  for (const [chain, day] of cumulativeFrom) noteFirst(changes.cumulativeFrom, chain, day);
}
