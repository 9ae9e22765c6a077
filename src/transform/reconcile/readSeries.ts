import { groupBy } from '../../core/groupBy.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { querySql } from '../../load/packageFiles.ts';
import { bucketEnd, bucketStart, type Interval, secondsOf } from '../bucketTime.ts';
import type { Metric } from '../models/metric.ts';
import { parseNumber, type Ratio, zero } from '../verdict/ratio.ts';
import type { Point, Series } from '../verdict/series.ts';
import { isKnownEmpty } from './isKnownEmpty.ts';
import { type AskedSeries, boundsOf, isAggregate, type SeriesKey, seriesName } from './servedSeries.ts';

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

export interface DetailedSeries extends Series, SeriesKey {
  /** The metric whose values by day are the differences of its levels. */
  readonly totalOf: string | null;
  readonly points: readonly DetailedPoint[];
}

export interface OwnRow extends SeriesKey, Record<string, unknown> {
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

interface ServedRow extends SeriesKey, Record<string, unknown> {
  readonly bucket: string;
  readonly value_text: string | null;
  readonly withdrawn: boolean;
  readonly fetched_at: string | null;
  /** Whether answers 24 h apart, both from after the bucket, gave this value. */
  readonly agrees: boolean;
}

const settleSeconds = 72 * 3600;

/** After how long something newer should be served, in seconds: complete months appear some days after they end. */
const stallSeconds = (interval: Interval): number => (interval === 'month' ? 35 : 14) * 86_400;

/**
 * Both sides of series.
 *
 * @param asked series that are compared together
 * @param metrics by name
 */
export async function readSeries(
  source: Pick<Statements, 'query'>,
  asked: readonly AskedSeries[],
  metrics: ReadonlyMap<string, Pick<Metric, 'needs' | 'total_of'>>,
): Promise<DetailedSeries[]> {
  if (asked.length === 0) return [];
  const names = [...new Set(asked.map(({ metric }) => metric))];
  const parts = names.flatMap((name) => metrics.get(name)?.total_of ?? []);
  const own = groupBy(await readOwn(source, asked, parts), seriesName);
  const served = groupBy(await readServed(source, asked), seriesName);
  return asked.map((series) => {
    const { chain, newest, metric, interval, begins } = series;
    const key = seriesName(series);
    const { needs, total_of: totalOf } = metrics.get(metric) ?? { needs: undefined, total_of: null };
    const ownDeltas =
      totalOf === null ? undefined : deltas(own.get(seriesName({ chain, metric: totalOf, interval: 'day' })));
    const all = joinPoints(interval, own.get(key) ?? [], served.get(key) ?? [], newest, ownDeltas);
    const points = all.filter((point) => point.served || point.bucket >= begins);
    const growth = needs?.sinceGenesis ? (totalOf === null ? 'distinct' : 'sum') : null;
    return { chain, metric, interval, points, totalOf, growth, isAggregate: isAggregate(chain) };
  });
}

/** @param parts metrics of which the days are wanted, too */
async function readOwn(
  source: Pick<Statements, 'query'>,
  asked: readonly AskedSeries[],
  parts: readonly string[],
): Promise<OwnRow[]> {
  const { chains, metrics } = boundsOf(asked);
  const days =
    parts.length > 0 ? ` OR (m.time_interval = 'day' AND m.metric IN (${parts.map(literal).join(', ')}))` : '';
  return source.query<OwnRow>(
    `SELECT m.chain_id AS "chain", m.metric, m.time_interval AS "interval", CAST(m.bucket AS VARCHAR) AS bucket, CAST(m.numerator AS VARCHAR) AS numerator,
       CAST(m.denominator AS VARCHAR) AS denominator, m.covered, coalesce(m.overflows, false) AS overflows, m.state, m.first_block, m.last_block, m.sql_hash,
       c.blocks_covered AS reaches_next
     FROM mart.metric AS m
     JOIN firn.coverage AS c ON c.chain_id = m.chain_id AND c.time_interval = m.time_interval AND c.bucket = m.bucket
     WHERE m.chain_id IN (${chains}) AND (m.metric BETWEEN $1 AND $2${days}) ORDER BY m.bucket`,
    metrics,
  );
}

async function readServed(source: Pick<Statements, 'query'>, asked: readonly AskedSeries[]): Promise<ServedRow[]> {
  const { chains, metrics } = boundsOf(asked);
  return source.query<ServedRow>(
    `SELECT chain_id AS "chain", metric, time_interval AS "interval", CAST(bucket AS VARCHAR) AS bucket, value_text, withdrawn, CAST(fetched_at AS VARCHAR) AS fetched_at, agrees
     FROM (${querySql('served_values', { chains })}) AS served ORDER BY served.bucket`,
    metrics,
  );
}

/** The exact value of a row, null where there is none. */
export const ownValue = ({ numerator, denominator }: Pick<OwnRow, 'numerator' | 'denominator'>): Ratio | null =>
  numerator === null || denominator === null ? null : { num: BigInt(numerator), den: BigInt(denominator) };

function deltas(rows: readonly OwnRow[] | undefined): ReadonlyMap<number, Ratio> {
  const found = (rows ?? []).flatMap((row): [number, Ratio][] => {
    // A day that is not over may grow still.
    const value = row.state === 'open' ? null : ownValue(row);
    return value ? [[secondsOf(row.bucket), value]] : [];
  });
  return new Map(found);
}

const ownNumber = (row: OwnRow) => ({
  value: ownValue(row),
  covered: row.covered,
  overflows: row.overflows,
  open: row.state === 'open',
});

const nothingCounted = { covered: true, overflows: false, open: false };

const servedNumber = ({ value_text: text }: ServedRow) => ({ text, value: text === null ? null : parseNumber(text) });

function joinPoints(
  interval: Interval,
  ownRows: readonly OwnRow[],
  servedRows: readonly ServedRow[],
  newest: number,
  ownDeltas: ReadonlyMap<number, Ratio> | undefined,
): DetailedPoint[] {
  const own = new Map(ownRows.map((row) => [secondsOf(row.bucket), row]));
  const served = new Map(servedRows.map((row) => [secondsOf(row.bucket), row]));
  const stillServed = servedRows.filter(({ withdrawn }) => !withdrawn).map((row) => secondsOf(row.bucket));
  // One that is dated ahead is no newer one.
  const begun = stillServed.filter((bucket) => bucket <= newest);
  const newestServed = begun.at(-1) ?? Number.NEGATIVE_INFINITY;
  const buckets = [...new Set([...own.keys(), ...served.keys()])].sort((a, b) => a - b);
  let before: OwnRow | undefined;
  const [first] = ownRows;
  const newestOwn = [...own.keys()].at(-1) ?? Number.NEGATIVE_INFINITY;
  return buckets.map((bucket) => {
    const row = own.get(bucket);
    const answer = served.get(bucket);
    const isHeld = row === undefined && isKnownEmpty(bucket, before, newestOwn);
    // Of a day that begins at five o'clock nothing is counted.
    const knownEmpty = isHeld && bucket === bucketStart(interval, bucket);
    before = row ?? before;
    return {
      bucket,
      own: row ? ownNumber(row) : isHeld ? { value: knownEmpty ? zero : null, ...nothingCounted } : undefined,
      isBeforeBlock1: first?.first_block === 1n && bucket < secondsOf(first.bucket),
      served: answer && !answer.withdrawn ? servedNumber(answer) : undefined,
      withdrawn: answer?.withdrawn ? answer.value_text : undefined,
      settled:
        bucket < newestServed && (bucketEnd(interval, bucket) + settleSeconds <= newest || answer?.agrees === true),
      stalled: bucket > newestServed && bucketEnd(interval, bucket) + stallSeconds(interval) <= newest,
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
