import type { EvmBlock, EvmHistory } from '../evm/evmHistory.ts';
import type { RawNumber } from '../http/jsonText.ts';
import { type Bucket, bucketsOf } from './bucketsOf.ts';
import { bucketEnd } from './bucketTime.ts';
import { computeMetric, type MetricRow, type Narrow } from './computeMetric.ts';
import type { Interval, MetricName } from './metricNames.ts';
import { faultsOf, type ServedFault, type ServedFaultName, variantIn } from './servedFaults.ts';
import { servedValue } from './servedValue.ts';

/** One data point as it is served. */
interface MetricPoint {
  readonly value: number | string | RawNumber | null;
  readonly timestamp: number;
}

const hour = 3600;
const day = 24 * hour;

/** A chain or an aggregate of chains, with every name it is asked for by. */
export interface MetricSubject {
  readonly names: readonly string[];
  readonly chains: readonly EvmHistory[];
}

export type MetricSeries = (
  subject: MetricSubject,
  metric: MetricName,
  interval: Interval,
  asOf: number,
) => readonly MetricPoint[];

/**
 * Serves series as they stand at a moment of chain time (milliseconds), ascending. Honest unless faults are given.
 * A bucket that is still open is served with what it holds, but for months: only complete ones are.
 * A value that does not exist is a missing row.
 */
export function createMetricSeries(servedFaults: readonly ServedFault[]): MetricSeries {
  // Series computed lately, by everything they depend on. A reader asks for the pages of one series in a row.
  const lately = new Map<string, readonly MetricPoint[]>();
  return (subject, metric, interval, asOf) => {
    const heads = subject.chains.map((chain) => `${chain.evmChainId}:${chain.visibleBlocks(asOf)}`);
    const key = `${subject.names} ${metric} ${interval} ${heads} ${Math.floor(asOf / 1000 / hour)}`;
    const known = lately.get(key);
    if (known !== undefined) return known;
    const faults = faultsOf(servedFaults, metric, interval, subject.names);
    const points = computePoints(subject, metric, interval, asOf, faults);
    lately.set(key, points);
    const oldest = lately.keys().next();
    if (lately.size > 200 && !oldest.done) lately.delete(oldest.value);
    return points;
  };
}

function computePoints(
  { chains }: MetricSubject,
  metric: MetricName,
  interval: Interval,
  asOf: number,
  faults: ReadonlyMap<ServedFaultName, ServedFault>,
): MetricPoint[] {
  const now = asOf / 1000;
  const blocks = chains.map((chain) => chain.blocks.slice(0, chain.visibleBlocks(asOf)));
  let rows = computeMetric(metric, interval, blocks, variantIn(faults, metric), narrowing(faults, interval, now));
  if (interval === 'month') {
    rows = faults.has('month_empty') ? [] : rows.filter(({ timestamp }) => bucketEnd(timestamp, 'month') <= now);
  }
  if (faults.has('lagging')) rows = rows.filter(({ timestamp }) => bucketEnd(timestamp, interval) <= now - 2 * day);
  const missing = faults.get('bucket_missing');
  const missingAt = missing && (missing.bucket ?? someBucket(chains, interval, 1 / 3));
  const lie = faults.get('lie');
  const lieAt = lie && (lie.bucket ?? someBucket(chains, interval, 1 / 4));
  return rows.filter(({ timestamp }) => timestamp !== missingAt).flatMap((row) => pointOf(row, faults, lieAt));
}

function pointOf(
  { timestamp, value }: MetricRow,
  faults: ReadonlyMap<ServedFaultName, ServedFault>,
  lieAt: number | undefined,
): MetricPoint[] {
  if (value !== null) return [{ value: servedValue(value, timestamp, faults, lieAt), timestamp }];
  if (faults.has('null_values')) return [{ value: null, timestamp }];
  return faults.has('zero_values') ? [{ value: 0, timestamp }] : [];
}

/** A bucket at a fixed share of the whole history, so that it stays the same while the head moves. */
function someBucket(chains: readonly EvmHistory[], interval: Interval, share: number): number | undefined {
  const buckets = bucketsOf(chains[0]?.blocks ?? [], interval);
  return buckets[Math.floor(buckets.length * share)]?.start;
}

function narrowing(faults: ReadonlyMap<ServedFaultName, ServedFault>, interval: Interval, now: number): Narrow {
  const until = (bucket: Bucket, seconds: number): readonly EvmBlock[] =>
    bucket.blocks.filter(({ time }) => time < bucket.start + seconds);
  if (interval === 'week' && faults.has('week_underfilled')) {
    return (bucket) => (bucket.end <= now ? until(bucket, 2 * day) : bucket.blocks);
  }
  if (interval === 'day' && faults.has('day_provisional')) {
    return (bucket) => (now < bucket.end + 30 * hour ? until(bucket, day / 10) : bucket.blocks);
  }
  return (bucket) => bucket.blocks;
}
