import { literal } from '../core/sqlText.ts';
import { querySql } from '../load/packageFiles.ts';
import type { Statements } from '../load/transaction.ts';
import { bucketEnd, type Interval, secondsOf } from './bucketTime.ts';
import { isKnownEmpty } from './isKnownEmpty.ts';
import type { Metric } from './metric.ts';
import { parseNumber, type Ratio } from './verdict/ratio.ts';
import type { Point, Series } from './verdict/series.ts';

/** A point with the other facts of its verdict row. */
export interface DetailedPoint extends Point {
  readonly state: string | null;
  readonly firstBlock: bigint | null;
  readonly lastBlock: bigint | null;
  readonly sqlHash: string | null;
  /** TIMESTAMP text. */
  readonly fetchedAt: string | null;
  /** Whether it has no row because no block lies in it, so that its counts are 0. */
  readonly knownEmpty: boolean;
}

export interface DetailedSeries extends Series {
  readonly chain: string;
  /** The metric whose values by day are the differences of its levels. */
  readonly totalOf: string | null;
  readonly points: readonly DetailedPoint[];
}

interface OwnRow extends Record<string, unknown> {
  readonly metric: string;
  readonly time_interval: Interval;
  readonly bucket: string;
  readonly numerator: string | null;
  readonly denominator: string | null;
  readonly covered: boolean;
  readonly overflows: boolean;
  readonly state: string;
  readonly first_block: bigint | null;
  readonly last_block: bigint | null;
  readonly sql_hash: string | null;
  /** Whether nothing is missing between this bucket and the next one that has blocks. */
  readonly reaches_next: boolean;
}

interface ServedRow extends Record<string, unknown> {
  readonly metric: string;
  readonly time_interval: Interval;
  readonly bucket: string;
  readonly value_text: string | null;
  readonly fetched_at: string | null;
  /** Whether answers 24 h apart, both from after the bucket, gave this value. */
  readonly agrees: boolean;
}

const aggregates = new Set(['total', 'mainnet', 'testnet']);
const settleSeconds = 72 * 3600;

/** Chains whose metrics were ever asked for. */
export async function servedChains(source: Pick<Statements, 'query'>): Promise<string[]> {
  const rows = await source.query<{ chain_id: string }>(
    `SELECT DISTINCT regexp_extract("partition", '(?:^|,)chain_id=([^,]*)', 1) AS chain_id FROM firn.load
     WHERE stream = 'metrics/chain_metrics'
     UNION SELECT DISTINCT chain_id FROM raw.metrics_chain_metrics ORDER BY chain_id`,
  );
  return rows.map(({ chain_id }) => chain_id);
}

/**
 * Both sides of every series of a chain that was asked for, by name.
 *
 * @param metrics by name
 * @param mostBuckets buckets of both sides that are read at a time, or else those of one metric: each takes 1.5 kB until its verdict is written
 */
export async function* readSeries(
  source: Pick<Statements, 'query'>,
  chain: string,
  metrics: ReadonlyMap<string, Pick<Metric, 'needs' | 'total_of'>>,
  mostBuckets = 50_000,
): AsyncGenerator<DetailedSeries, undefined> {
  const newest = await newestMoment(source, chain);
  const asked = [...(await askedSeries(source, chain))].sort();
  const names = [...new Set(asked.map((key) => key.split('/')[0] as string))];
  for (const group of groupsOf(names, await countBuckets(source, chain), mostBuckets)) {
    const parts = group.flatMap((name) => metrics.get(name)?.total_of ?? []);
    const own = groupBySeries(await ownRows(source, chain, group, parts));
    const served = groupBySeries(await servedRows(source, chain, group));
    for (const key of asked) {
      const [name = '', interval = 'day'] = key.split('/') as [string, Interval];
      if (!group.includes(name)) continue;
      const { needs, total_of: totalOf } = metrics.get(name) ?? { needs: undefined, total_of: null };
      const ownDeltas = totalOf === null ? undefined : deltas(own.get(`${totalOf}/day`));
      const points = joinPoints(interval, own.get(key) ?? [], served.get(key) ?? [], newest, ownDeltas);
      const growth = needs?.sinceGenesis ? (totalOf === null ? 'distinct' : 'sum') : null;
      yield { chain, metric: name, interval, points, totalOf, growth, isAggregate: aggregates.has(chain) };
    }
  }
}

async function countBuckets(source: Pick<Statements, 'query'>, chain: string): Promise<ReadonlyMap<string, number>> {
  const rows = await source.query<{ metric: string; buckets: bigint }>(
    `SELECT metric, count(*) AS buckets FROM (
       SELECT metric FROM mart.metric WHERE chain_id = $1 UNION ALL SELECT metric FROM raw.metrics_chain_metrics WHERE chain_id = $1
     ) AS either GROUP BY metric`,
    [chain],
  );
  return new Map(rows.map(({ metric, buckets }) => [metric, Number(buckets)]));
}

/** Metrics that are read together: neighbours by name. */
function groupsOf(names: readonly string[], buckets: ReadonlyMap<string, number>, mostBuckets: number): string[][] {
  const groups: string[][] = [];
  let held = Number.POSITIVE_INFINITY;
  for (const name of names) {
    held += buckets.get(name) ?? 0;
    if (held <= mostBuckets) groups.at(-1)?.push(name);
    else {
      groups.push([name]);
      held = buckets.get(name) ?? 0;
    }
  }
  return groups;
}

/** @param parts metrics of which the days are wanted, too */
async function ownRows(
  source: Pick<Statements, 'query'>,
  chain: string,
  group: readonly string[],
  parts: readonly string[],
): Promise<OwnRow[]> {
  const days =
    parts.length > 0 ? ` OR (m.time_interval = 'day' AND m.metric IN (${parts.map(literal).join(', ')}))` : '';
  return source.query<OwnRow>(
    `SELECT m.metric, m.time_interval, CAST(m.bucket AS VARCHAR) AS bucket, CAST(m.numerator AS VARCHAR) AS numerator,
       CAST(m.denominator AS VARCHAR) AS denominator, m.covered, coalesce(m.overflows, false) AS overflows, m.state, m.first_block, m.last_block, m.sql_hash,
       c.blocks_covered AS reaches_next
     FROM mart.metric AS m
     JOIN firn.coverage AS c ON c.chain_id = m.chain_id AND c.time_interval = m.time_interval AND c.bucket = m.bucket
     WHERE m.chain_id = $1 AND (m.metric BETWEEN $2 AND $3${days}) ORDER BY m.bucket`,
    [chain, group[0] as string, group.at(-1) as string],
  );
}

async function servedRows(
  source: Pick<Statements, 'query'>,
  chain: string,
  group: readonly string[],
): Promise<ServedRow[]> {
  return source.query<ServedRow>(querySql('served_values'), [chain, group[0] as string, group.at(-1) as string]);
}

/** Ages count from here: the newest block of the chain, or the newest bucket that had begun by the last load. */
async function newestMoment(source: Pick<Statements, 'query'>, chain: string): Promise<number> {
  const [row] = await source.query<{ newest: string | null }>(
    `SELECT CAST(max(moment) AS VARCHAR) AS newest FROM (
       SELECT max(last_block_time) AS moment FROM firn.coverage WHERE chain_id = $1
       UNION ALL SELECT max("timestamp") FROM raw.metrics_chain_metrics
       WHERE chain_id = $1 AND "timestamp" <= (SELECT max(committed_at) FROM firn.load)
     ) AS either`,
    [chain],
  );
  return Math.floor(secondsOf(row?.newest ?? '1970-01-01 00:00:00'));
}

async function askedSeries(source: Pick<Statements, 'query'>, chain: string): Promise<Set<string>> {
  const rows = await source.query<{ series: string }>(
    `SELECT DISTINCT regexp_extract("partition", '(?:^|,)metric=([^,]*)', 1) || '/'
       || regexp_extract("partition", '(?:^|,)time_interval=([^,]*)', 1) AS series
     FROM firn.load
     WHERE stream = 'metrics/chain_metrics' AND regexp_extract("partition", '(?:^|,)chain_id=([^,]*)', 1) = $1
     UNION SELECT DISTINCT metric || '/' || time_interval FROM raw.metrics_chain_metrics WHERE chain_id = $1`,
    [chain],
  );
  return new Set(rows.map(({ series }) => series));
}

function groupBySeries<T extends { metric: string; time_interval: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = `${row.metric}/${row.time_interval}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** The exact value of a row, null where there is none. */
export const ownValue = ({ numerator, denominator }: Pick<OwnRow, 'numerator' | 'denominator'>): Ratio | null =>
  numerator === null || denominator === null ? null : { num: BigInt(numerator), den: BigInt(denominator) };

function deltas(rows: readonly OwnRow[] | undefined): ReadonlyMap<number, Ratio> {
  const found = (rows ?? []).flatMap((row): [number, Ratio][] => {
    // A day that is not over may grow still.
    const value = row.covered && row.state !== 'open' ? ownValue(row) : null;
    return value ? [[secondsOf(row.bucket), value]] : [];
  });
  return new Map(found);
}

function joinPoints(
  interval: Interval,
  ownRows_: readonly OwnRow[],
  servedRows_: readonly ServedRow[],
  newest: number,
  ownDeltas: ReadonlyMap<number, Ratio> | undefined,
): DetailedPoint[] {
  const own = new Map(ownRows_.map((row) => [secondsOf(row.bucket), row]));
  const served = new Map(servedRows_.map((row) => [secondsOf(row.bucket), row]));
  const newestServed = Math.max(Number.NEGATIVE_INFINITY, ...lastOf([...served.keys()]));
  const buckets = [...new Set([...own.keys(), ...served.keys()])].sort((a, b) => a - b);
  let before: OwnRow | undefined;
  const newestOwn = lastOf([...own.keys()])[0] ?? Number.NEGATIVE_INFINITY;
  return buckets.map((bucket) => {
    const row = own.get(bucket);
    const answer = served.get(bucket);
    const knownEmpty = row === undefined && isKnownEmpty(bucket, before, newestOwn);
    before = row ?? before;
    const empty = { value: { num: 0n, den: 1n }, covered: true, overflows: false, open: false };
    return {
      bucket,
      own: row
        ? { value: ownValue(row), covered: row.covered, overflows: row.overflows, open: row.state === 'open' }
        : knownEmpty
          ? empty
          : undefined,
      served: answer && {
        text: answer.value_text,
        value: answer.value_text === null ? null : parseNumber(answer.value_text),
      },
      settled:
        bucket < newestServed && (bucketEnd(interval, bucket) + settleSeconds <= newest || answer?.agrees === true),
      ownDelta: ownDeltas?.get(bucket),
      state: row?.state ?? null,
      firstBlock: row?.first_block ?? null,
      lastBlock: row?.last_block ?? null,
      sqlHash: row?.sql_hash ?? null,
      fetchedAt: answer?.fetched_at ?? null,
      knownEmpty,
    };
  });
}

const lastOf = (ascending: readonly number[]): number[] => ascending.slice(-1);
