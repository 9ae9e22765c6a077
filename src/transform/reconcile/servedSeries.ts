import { groupBy } from '../../core/groupBy.ts';
import { parseBound } from '../../core/heights/findHeight.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Begun } from '../../load/commit/begun.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { bucketStart, type Interval, secondsOf } from '../bucketTime.ts';
import type { VerdictName } from '../verdict/series.ts';

/** Which series it is. */
export interface SeriesKey {
  readonly chain: string;
  readonly metric: string;
  readonly interval: Interval;
}

/** Buckets of one chain, metric and interval by verdict. */
export interface MatrixRow extends SeriesKey {
  readonly verdicts: Readonly<Partial<Record<VerdictName, number>>>;
}

export interface AskedSeries extends SeriesKey {
  /** Ages count from here, Unix seconds: the newest block of the chain, or the newest bucket that had begun by the last load. */
  readonly newest: number;
  /** First bucket that was asked for, Unix seconds: of those before it nothing is served, and none is missing. */
  readonly begins: number;
}

/** The chains, and the first and the last metric by name, of series that are compared together: all metrics that were asked for in between are. */
export function boundsOf(asked: readonly AskedSeries[]) {
  const metrics = asked.map(({ metric }) => metric).sort();
  const chains = [...new Set(asked.map(({ chain }) => chain))].map(literal).join(', ');
  return { chains, metrics: [metrics[0] ?? '', metrics.at(-1) ?? ''] as const };
}

/** The name of a series among others. */
export const seriesName = ({ chain, metric, interval }: SeriesKey): string => `${chain} ${metric} ${interval}`;

const aggregates = new Set(['total', 'mainnet', 'testnet']);

/** Whether it is no chain but a total over several ones, which have no recomputed counterpart. */
export const isAggregate = (chain: string): boolean => aggregates.has(chain);

/**
 * The series that were ever asked for, in the order of their chains and metrics; a list of those that are compared together. What was dropped is
 * none of them: it brought values, and neither these are left nor how far it was read, nor from where on. Asked for again, it is one, also where
 * nothing is served any more.
 *
 * @param begun from where on they were, as far as it is known
 * @param mostBuckets buckets of both sides that are compared at a time, or else those of one metric: each takes 1.5 kB until its verdict is written
 */
export async function servedSeries(
  source: Pick<Statements, 'query'>,
  begun: Begun = new Map(),
  mostBuckets = 50_000,
): Promise<AskedSeries[][]> {
  const noted = [...begun.keys()].flatMap((name) =>
    name.startsWith(prefix) ? literal(name.slice(prefix.length)) : [],
  );
  const named = await source.query<SeriesKey>(
    `SELECT DISTINCT ${part('chain_id')} AS "chain", ${part('metric')} AS metric, ${part('time_interval')} AS "interval"
     FROM (SELECT DISTINCT "partition" FROM firn.load WHERE ${isOf}) AS l WHERE "partition" NOT IN (SELECT "partition" FROM firn.load WHERE ${isOf} AND rows_written > 0)
       OR "partition" IN (SELECT "partition" FROM firn.checkpoint WHERE ${isOf})${noted.length > 0 ? ` OR "partition" IN (${noted.join(', ')})` : ''}
     UNION SELECT DISTINCT chain_id, metric, time_interval FROM raw.metrics_chain_metrics ORDER BY 1, 2, 3`,
  );
  const [moments, buckets] = [await newestMoments(source), await countBuckets(source)];
  const series = named.map((one) => ({ ...one, newest: moments.get(one.chain) ?? 0, begins: beginOf(one, begun) }));
  const sizeOf = (asked: readonly AskedSeries[]) =>
    [...new Set(asked.map(nameOf))].reduce((sum, name) => sum + (buckets.get(name) ?? 0), asked.length * besides);
  const found: AskedSeries[][] = [];
  let room = 0;
  for (const ofChain of groupBy(series, ({ chain }) => chain).values()) {
    const isCut = sizeOf(ofChain) > mostBuckets;
    if (isCut) room = 0;
    for (const asked of isCut ? groupBy(ofChain, ({ metric }) => metric).values() : [ofChain]) {
      const size = sizeOf(asked);
      if (size <= room) found.at(-1)?.push(...asked);
      else found.push([...asked]);
      room = (size <= room ? room : mostBuckets) - size;
    }
    if (isCut) room = 0;
  }
  return found;
}

/** What a series takes beside its buckets, in these: the statement that judges it names it. */
const besides = 25;

const nameOf = ({ chain, metric }: Pick<SeriesKey, 'chain' | 'metric'>) => `${chain} ${metric}`;

function beginOf({ chain, metric, interval }: SeriesKey, begun: Begun): number {
  const from = begun.get(`${prefix}chain_id=${chain},metric=${metric},time_interval=${interval}`);
  const bound = from === undefined ? undefined : parseBound(from);
  return bound && 'time' in bound ? bucketStart(interval, bound.time) : 0;
}

const stream = 'metrics/chain_metrics';
const prefix = `${stream} `;
const isOf = `stream = ${literal(stream)}`;
const part = (name: string) => `regexp_extract("partition", '(?:^|,)${name}=([^,]*)', 1)`;

/** By chain, Unix seconds. */
async function newestMoments(source: Pick<Statements, 'query'>): Promise<ReadonlyMap<string, number>> {
  const rows = await source.query<{ chain: string; newest: string | null }>(
    `SELECT chain_id AS "chain", CAST(max(moment) AS VARCHAR) AS newest FROM (
       SELECT chain_id, last_block_time AS moment FROM firn.coverage
       UNION ALL SELECT chain_id, "timestamp" FROM raw.metrics_chain_metrics WHERE "timestamp" <= (SELECT max(committed_at) FROM firn.load)
     ) AS either GROUP BY chain_id`,
  );
  return new Map(
    rows.flatMap(({ chain, newest }) => (newest === null ? [] : [[chain, Math.floor(secondsOf(newest))]])),
  );
}

/** Buckets of both sides, by chain and metric. */
async function countBuckets(source: Pick<Statements, 'query'>): Promise<ReadonlyMap<string, number>> {
  const rows = await source.query<{ chain: string; metric: string; buckets: bigint }>(
    `SELECT chain_id AS "chain", metric, count(*) AS buckets FROM (
       SELECT chain_id, metric FROM mart.metric UNION ALL SELECT chain_id, metric FROM raw.metrics_chain_metrics
     ) AS either GROUP BY chain_id, metric`,
  );
  return new Map(rows.map((row) => [nameOf(row), Number(row.buckets)]));
}
