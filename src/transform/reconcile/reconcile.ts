import { type Begun, readBegun } from '../../load/commit/begun.ts';
import { querySql } from '../../load/packageFiles.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Metric } from '../models/metric.ts';
import { metricsOf } from '../models/metricsOf.ts';
import type { Model } from '../models/model.ts';
import { readModels } from '../models/readModels.ts';
import { type ScopedQuery, scopedQuery } from '../scope.ts';
import { classifySeries } from '../verdict/classifySeries.ts';
import type { VariantReading, Verdict, VerdictName } from '../verdict/series.ts';
import { contradictionsSql } from './contradictionsSql.ts';
import { fetchReading } from './fetchReading.ts';
import { type DetailedSeries, readSeries } from './readSeries.ts';
import { type AskedSeries, type MatrixRow, seriesName, servedSeries } from './servedSeries.ts';
import { writePlainVerdicts } from './writePlainVerdicts.ts';
import { writeVerdicts } from './writeVerdicts.ts';

/** Version of the rules for verdicts: raised whenever the same numbers would get other verdicts, notes or queries. */
export const verdictRules = 12;

const revisions = 'raw.metrics_chain_metrics_revisions';

export interface ReconcileOptions {
  /** The models that declare metrics, where they are not firn's own alone. */
  readonly models?: readonly Model[] | undefined;
}

export interface ReconcileResult {
  readonly counts: Readonly<Partial<Record<VerdictName, number>>>;
  readonly matrix: readonly MatrixRow[];
  /** Settled buckets that differ, except weeks, which are served too unreliably to fail a run. Above 0: exit code 3. */
  readonly differs: number;
  /** Settled days on which the served series contradict each other. */
  readonly servedContradictions: number;
}

/** The relations from which the tables written here are made, like the references of models. */
export const reconcileReferences: ReadonlyMap<string, readonly string[]> = new Map([
  ['mart.reconciliation', ['mart.metric', 'firn.coverage', 'raw.metrics_chain_metrics', revisions]],
  ['mart.served_consistency', ['raw.metrics_chain_metrics']],
  ['mart.served_freshness', ['firn.coverage', revisions]],
]);

/** What a comparison reads, and where its verdicts go. */
export interface VerdictStore extends ScopedQuery {
  /** Adds the verdicts of a series. */
  write(series: DetailedSeries, verdicts: readonly Verdict[]): Promise<void>;
  /** Adds those of series that need no closer look, and says how many. Left out: each series is looked at. */
  writePlain?(asked: readonly AskedSeries[], isLevel: (metric: string) => boolean): Promise<MatrixRow[]>;
  /** From where on served values were asked for, as far as it is known here. */
  readonly begun?: Begun;
  /** Makes a table hold what a SELECT gives, of the table's columns. */
  replace(table: string, sql: string): Promise<void>;
  /** Lets the verdicts be asked for, once all are added. Left out: they can be at once. */
  show?(): Promise<void>;
}

/** Compares every served bucket with the recomputed one and writes a verdict for each to `mart.reconciliation`, all in one transaction. */
export const reconcile = (warehouse: Warehouse, options: ReconcileOptions = {}): Promise<ReconcileResult> =>
  warehouse.transaction(async (tx) => {
    await tx.run('DELETE FROM mart.reconciliation');
    const store: VerdictStore = {
      ...scopedQuery(tx),
      begun: await readBegun(tx.query),
      write: (series, verdicts) => writeVerdicts(tx, series, verdicts),
      writePlain: (asked, isLevel) => writePlainVerdicts(tx, asked, isLevel),
      replace: async (table, sql) => void (await tx.run(`DELETE FROM ${table}; INSERT INTO ${table} BY NAME ${sql}`)),
    };
    return judge(store, options);
  });

/** Gives every served bucket its verdict. The store begins without any. */
export async function judge(store: VerdictStore, options: ReconcileOptions = {}): Promise<ReconcileResult> {
  const { models = await readModels() } = options;
  const metrics = new Map(metricsOf(models).map((metric) => [metric.name, metric]));
  const matrix: MatrixRow[] = [];
  let differs = 0;
  const isLevel = (metric: string) => metrics.get(metric)?.needs.sinceGenesis === true;
  for (const asked of await servedSeries(store, store.begun)) {
    const plain = (await store.writePlain?.(asked, isLevel)) ?? [];
    const rows = new Map(plain.map((row) => [seriesName(row), row]));
    const rest = asked.filter((series) => !rows.has(seriesName(series)));
    for (const series of await readSeries(store, rest, metrics)) {
      const verdicts = await classify(store, series, metrics);
      await store.write(series, verdicts);
      const { chain, metric, interval } = series;
      const row = { chain, metric, interval, verdicts: count(verdicts.map(({ verdict }) => [verdict, 1])) };
      rows.set(seriesName(row), row);
      if (interval !== 'week') differs += row.verdicts.differs ?? 0;
    }
    matrix.push(...asked.flatMap((series) => rows.get(seriesName(series)) ?? []));
  }
  const all = matrix.flatMap(({ verdicts }) => Object.entries(verdicts) as [VerdictName, number][]);
  return { counts: count(all), matrix, differs, servedContradictions: await checkServed(store) };
}

function classify(
  store: ScopedQuery,
  series: DetailedSeries,
  metrics: ReadonlyMap<string, Pick<Metric, 'variants' | 'before'>>,
): Promise<Verdict[]> {
  const { chain, interval, totalOf } = series;
  const readingsOf = (metric: string) =>
    new Map(
      Object.keys(metrics.get(metric)?.variants ?? {}).map((variant) => [
        variant,
        () => fetchReading(store, { chain, metric, interval, variant }),
      ]),
    );
  const ofDays = totalOf === null ? new Map<string, () => Promise<VariantReading>>() : readingsOf(totalOf);
  const before = metrics.get(series.metric)?.before;
  if (totalOf !== null && before != null)
    ofDays.set(before, async () => {
      const reading = await fetchReading(store, { chain, metric: totalOf, interval, variant: '' });
      return (bucket) => reading(bucket - 86_400);
    });
  return classifySeries(series, readingsOf(series.metric), ofDays);
}

function count(verdicts: Iterable<readonly [VerdictName, number]>): Partial<Record<VerdictName, number>> {
  const counts: Partial<Record<VerdictName, number>> = {};
  for (const [name, buckets] of verdicts) counts[name] = (counts[name] ?? 0) + buckets;
  return counts;
}

/**
 * Checks the served series against themselves: the daily difference of cumulativeTxCount must be txCount. Also notes how far each series
 * is behind its chain, and how long its values kept changing.
 *
 * @returns settled days on which they contradict each other
 */
async function checkServed(store: VerdictStore): Promise<number> {
  for (const table of ['served_consistency', 'served_freshness'] as const)
    await store.replace(`mart.${table}`, querySql(table));
  await store.show?.();
  const [row] = await store.query<{ days: bigint }>(contradictionsSql);
  return Number(row?.days ?? 0);
}
