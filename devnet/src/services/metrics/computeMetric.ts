import type { EvmBlock, EvmTransaction } from '../evm/evmHistory.ts';
import { type Bucket, bucketsOf } from './bucketsOf.ts';
import { type CreationVariant, creatorsIn } from './creations.ts';
import type { Interval, MetricName } from './metricNames.ts';
import { type ActivityVariant, addParticipants } from './participants.ts';
import { averageGasPrice, feesPaid, maximumGasPrice } from './prices.ts';
import { type AverageVariant, averageRate, type MaximumVariant, maximumRate } from './rates.ts';
import { isGreater, type Ratio, sum, whole } from './ratio.ts';
import type { VariantName } from './variants.ts';

/** One bucket of a metric. A null value is a value that does not exist, which is neither 0 nor a missing bucket. */
export interface MetricRow {
  /** Seconds: start of the bucket. */
  readonly timestamp: number;
  readonly value: Ratio | null;
}

/** Narrows the blocks from which a bucket's own value (not the running totals) is computed; the identity unless an answer is to be incomplete. */
export type Narrow = (bucket: Bucket) => readonly EvmBlock[];

/**
 * Computes one metric for every bucket, ascending, from the blocks of one chain or of several taken together.
 * Counts and sums are over all of them, distinct addresses over their union; rates are taken chain by chain and then added (avg) or the
 * greatest of them (max), since the distance between two chains' blocks means nothing.
 */
export function computeMetric(
  metric: MetricName,
  interval: Interval,
  chains: readonly (readonly EvmBlock[])[],
  variant: VariantName | null = null,
  narrow: Narrow = (bucket) => bucket.blocks,
): MetricRow[] {
  const rate = rateOf(metric, variant);
  if (rate !== null) {
    const combine = metric.startsWith('avg') ? sum : (a: Ratio, b: Ratio) => (isGreater(b, a) ? b : a);
    return mergeRows(
      chains.map((blocks) => rowsOf(bucketsOf(blocks, interval), rate)),
      combine,
    );
  }
  const blocks = chains.length === 1 ? (chains[0] ?? []) : chains.flat().sort((a, b) => a.time - b.time);
  const value = bucketValue(metric, variant);
  return rowsOf(bucketsOf(blocks, interval), (bucket) => value(transactionsOf(narrow(bucket)), narrow(bucket), bucket));
}

const rowsOf = (buckets: readonly Bucket[], value: (bucket: Bucket) => Ratio | null): MetricRow[] =>
  buckets.map((bucket) => ({ timestamp: bucket.start, value: value(bucket) }));

const transactionsOf = (blocks: readonly EvmBlock[]): readonly EvmTransaction[] =>
  blocks.flatMap((block) => block.transactions);

function rateOf(metric: MetricName, variant: VariantName | null): ((bucket: Bucket) => Ratio | null) | null {
  const gas = (block: EvmBlock): bigint => block.gasUsed;
  const count = (block: EvmBlock): bigint => BigInt(block.transactions.length);
  switch (metric) {
    case 'avgGps':
      return (bucket) => averageRate(bucket, gas, variant as AverageVariant | null);
    case 'avgTps':
      return (bucket) => averageRate(bucket, count, variant as AverageVariant | null);
    case 'maxGps':
      return (bucket) => maximumRate(bucket, gas, variant as MaximumVariant | null);
    case 'maxTps':
      return (bucket) => maximumRate(bucket, count, variant as MaximumVariant | null);
    default:
      return null;
  }
}

type Value = (transactions: readonly EvmTransaction[], blocks: readonly EvmBlock[], bucket: Bucket) => Ratio | null;

function bucketValue(metric: MetricName, variant: VariantName | null): Value {
  const addActive = (
    found: Set<string>,
    transactions: readonly EvmTransaction[],
    sendersOnly: boolean,
  ): Set<string> => {
    for (const one of transactions) addParticipants(found, one, sendersOnly, variant as ActivityVariant | null);
    return found;
  };
  const creators = (transactions: readonly EvmTransaction[]): string[] =>
    transactions.flatMap((one) => creatorsIn(one, variant as CreationVariant | null));
  const atomic = (blocks: readonly EvmBlock[]): number =>
    variant === 'with_atomic' ? blocks.reduce((so, block) => so + block.atomicTransactions, 0) : 0;
  const seen = new Set<string>();
  let total = 0;
  switch (metric) {
    case 'activeAddresses':
      return (transactions) => whole(addActive(new Set(), transactions, false).size);
    case 'activeSenders':
      return (transactions) => whole(addActive(new Set(), transactions, true).size);
    case 'txCount':
      return (transactions, blocks) => whole(transactions.length + atomic(blocks));
    case 'gasUsed':
      return (transactions) => whole(transactions.reduce((so, { gasUsed }) => so + gasUsed, 0n));
    case 'contracts':
      return (transactions) => whole(creators(transactions).length);
    case 'deployers':
      return (transactions) => whole(new Set(creators(transactions)).size);
    case 'avgGasPrice':
      return (transactions) => averageGasPrice(transactions, variant as 'gas_weighted' | null);
    case 'maxGasPrice':
      return (transactions) => maximumGasPrice(transactions);
    case 'feesPaid':
      return (transactions) => feesPaid(transactions, variant as 'tx_gas_price' | null);
    case 'cumulativeTxCount':
      return (_narrowed, _blocks, bucket) => {
        total += bucket.blocks.reduce((so, block) => so + block.transactions.length, 0) + atomic(bucket.blocks);
        return whole(total);
      };
    case 'cumulativeAddresses':
      return (_narrowed, _blocks, bucket) => whole(addActive(seen, transactionsOf(bucket.blocks), false).size);
    case 'cumulativeDeployers':
      return (_narrowed, _blocks, bucket) => {
        for (const creator of creators(transactionsOf(bucket.blocks))) seen.add(creator);
        return whole(seen.size);
      };
    case 'cumulativeContracts':
      return (_narrowed, _blocks, bucket) => {
        const before = total;
        total += creators(transactionsOf(bucket.blocks)).length;
        return whole(variant === 'exclusive' ? before : total);
      };
    default:
      throw new Error(`${metric} is a rate`);
  }
}

/** Joins several ascending series; a bucket exists where any of them has it. */
function mergeRows(series: readonly (readonly MetricRow[])[], combine: (a: Ratio, b: Ratio) => Ratio): MetricRow[] {
  const joined = new Map<number, Ratio | null>();
  for (const { timestamp, value } of series.flat()) {
    const known = joined.get(timestamp) ?? null;
    joined.set(timestamp, known === null || value === null ? (known ?? value) : combine(known, value));
  }
  return [...joined].sort(([a], [b]) => a - b).map(([timestamp, value]) => ({ timestamp, value }));
}
