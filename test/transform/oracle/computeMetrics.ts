import { type Bucket, bucketAt, bucketsOf, type Interval, knownBlocks } from './held.ts';
import type { Load } from './loads.ts';
import { type DrawnBlock, type DrawnTransaction, type Frame, rootOf, type World } from './world.ts';

/** A value as `mart.metric` says it. */
interface Ratio {
  readonly numerator: bigint | null;
  readonly denominator: bigint | null;
}

/** A call with its place in the transaction. */
interface PlacedFrame {
  readonly frame: Frame;
  readonly isReverted: boolean;
  readonly isOutermost: boolean;
  readonly tx: DrawnTransaction;
}

const most = 10n ** 38n - 1n;
const whole = (n: number | bigint): Ratio => ({ numerator: BigInt(n), denominator: 1n });
const none: Ratio = { numerator: null, denominator: null };
const sum = (terms: readonly bigint[]) => terms.reduce((a, b) => a + b, 0n);
const transactionsOf = (blocks: readonly DrawnBlock[]) => blocks.flatMap(({ transactions }) => transactions);
const gasOf = (block: DrawnBlock) => sum(block.transactions.map(({ gasUsed }) => BigInt(gasUsed)));
const countOf = ({ transactions }: DrawnBlock) => BigInt(transactions.length);

function framesOf(tx: DrawnTransaction): PlacedFrame[] {
  const walk = (frame: Frame, isInReverted: boolean, isOutermost: boolean): PlacedFrame[] => {
    const isReverted = isInReverted || frame.fails;
    return [{ frame, isReverted, isOutermost, tx }, ...frame.calls.flatMap((call) => walk(call, isReverted, false))];
  };
  return walk(rootOf(tx), false, true);
}

/** Accounts that took part, by the reading of who does. */
function accounts(blocks: readonly DrawnBlock[], variant: string, onlySenders: boolean): Set<number> {
  const found = transactionsOf(blocks).flatMap((tx) => {
    if (variant === 'from_traces')
      return framesOf(tx).flatMap(({ frame: { from, to } }) => (onlySenders ? [from] : [from, to]));
    const ofLogs = tx.logs.flatMap(({ kind, topics }) => {
      const [a, b, c] = topics;
      if (kind === 'transfer') return topics.length < 2 ? [] : onlySenders ? [a] : [a, b];
      if ((kind !== 'single' && kind !== 'batch') || topics.length !== 3 || variant === 'without_1155') return [];
      return [...(variant === 'with_operator' ? [a] : []), b, ...(onlySenders ? [] : [c])];
    });
    return [tx.from, ...(onlySenders ? [] : [tx.to]), ...ofLogs];
  });
  const distinct = new Set(found.filter((account): account is number => account !== null && account !== undefined));
  if (variant === 'zero_excluded') distinct.delete(0);
  return distinct;
}

/** Who created a contract, once for each creation. */
function creators(blocks: readonly DrawnBlock[], variant: string): number[] {
  return transactionsOf(blocks)
    .flatMap(framesOf)
    .filter(({ frame, isReverted, isOutermost, tx }) => {
      if (!/^CREATE[23]?$/.test(frame.type)) return false;
      if (variant === 'without_own_error') return !frame.fails;
      if (variant === 'without_reverted_ancestor') return !isReverted;
      if (variant === 'without_failed_tx') return tx.status !== 0;
      if (variant === 'receipts_only') return isOutermost && tx.status !== 0;
      return true;
    })
    .map(({ frame }) => frame.from);
}

type Amount = (block: DrawnBlock) => bigint;
const before = ({ blocks }: World, { number }: DrawnBlock) => blocks[number - 1] as DrawnBlock;

/** Amount of a day / seconds from the last block before it to its last one. */
function mean(world: World, blocks: readonly DrawnBlock[], amount: Amount, variant: string): Ratio {
  const [first, last] = [blocks[0], blocks.at(-1)];
  const total = sum(blocks.map(amount));
  if (variant === 'calendar_seconds') return { numerator: total, denominator: 86_400n };
  if (!first || !last) return variant === 'empty_day_null' ? none : whole(0);
  const seconds = last.time - before(world, first).time;
  if (seconds === 0 || (variant === 'first_day_null' && first.number === 1)) return none;
  return { numerator: total, denominator: BigInt(seconds) };
}

/** Highest amount of a block / time since the block before it; the earliest of equal ones. */
function peak(world: World, blocks: readonly DrawnBlock[], amount: Amount, variant: string): Ratio {
  const seconds = new Map<string, DrawnBlock[]>();
  for (const block of blocks) {
    const key = variant === 'merge_second' ? `${block.time}` : `#${block.number}`;
    seconds.set(key, [...(seconds.get(key) ?? []), block]);
  }
  let best = none;
  for (const [first, ...others] of seconds.values()) {
    if (!first) continue;
    const parent = before(world, first);
    let distance = BigInt(first.time - parent.time);
    let numerator = sum([first, ...others].map(amount));
    if (variant === 'dt_one' && distance === 0n) distance = 1n;
    if (variant === 'milliseconds' && first.milliseconds !== null && parent.milliseconds !== null) {
      distance = BigInt(first.milliseconds - parent.milliseconds);
      numerator *= 1000n;
    }
    if (
      distance > 0n &&
      (best.denominator === null || numerator * best.denominator > (best.numerator ?? 0n) * distance)
    )
      best = { numerator, denominator: distance };
  }
  return best;
}

/** What a bucket's blocks make, where all of them are held. */
type Rule = (world: World, blocks: readonly DrawnBlock[], variant: string) => Ratio;

const fee = (price: (tx: DrawnTransaction) => bigint) => (blocks: readonly DrawnBlock[]) =>
  sum(transactionsOf(blocks).map((tx) => BigInt(tx.gasUsed) * price(tx)));
const feesPaid = fee(({ paid }) => paid);
const feesOffered = fee(({ paid, maxFee }) => maxFee ?? paid);
const atomicToo = (blocks: readonly DrawnBlock[], variant: string) =>
  transactionsOf(blocks).length +
  (variant === 'with_atomic' ? blocks.reduce((n, { atomic }) => n + atomic.count, 0) : 0);

export const rules: Readonly<Record<string, Rule>> = {
  txCount: (_, blocks, variant) => whole(atomicToo(blocks, variant)),
  activeAddresses: (_, blocks, variant) => whole(accounts(blocks, variant, false).size),
  activeSenders: (_, blocks, variant) => whole(accounts(blocks, variant, true).size),
  gasUsed: (_, blocks) => whole(sum(blocks.map(gasOf))),
  feesPaid: (_, blocks, variant) => whole(variant === 'tx_gas_price' ? feesOffered(blocks) : feesPaid(blocks)),
  contracts: (_, blocks, variant) => whole(creators(blocks, variant).length),
  deployers: (_, blocks, variant) => whole(new Set(creators(blocks, variant)).size),
  maxGasPrice: (_, blocks) => {
    const [highest] = transactionsOf(blocks).sort((a, b) => (a.paid > b.paid ? -1 : 1));
    return highest ? whole(highest.paid) : none;
  },
  avgGasPrice: (_, blocks, variant) => {
    const all = transactionsOf(blocks);
    if (all.length === 0) return none;
    if (variant === 'gas_weighted') return { numerator: feesPaid(blocks), denominator: sum(blocks.map(gasOf)) };
    return { numerator: sum(all.map(({ paid }) => paid)), denominator: BigInt(all.length) };
  },
  avgGps: (world, blocks, variant) => mean(world, blocks, gasOf, variant),
  avgTps: (world, blocks, variant) => mean(world, blocks, countOf, variant),
  maxGps: (world, blocks, variant) => peak(world, blocks, gasOf, variant),
  maxTps: (world, blocks, variant) => peak(world, blocks, countOf, variant),
  cumulativeTxCount: (_, blocks, variant) => whole(atomicToo(blocks, variant)),
  cumulativeAddresses: (_, blocks, variant) => whole(accounts(blocks, variant, false).size),
  cumulativeContracts: (_, blocks, variant) => whole(creators(blocks, variant).length),
  cumulativeDeployers: (_, blocks, variant) => whole(new Set(creators(blocks, variant)).size),
};

const inAllIntervals = ['txCount', 'activeAddresses', 'activeSenders', 'gasUsed'];
const isLevel = (metric: string) => metric.startsWith('cumulative');

function isCovered(metric: string, variant: string, covered: Bucket['covered']): boolean {
  if (/txcount/i.test(metric)) return covered.blocks;
  if (metric === 'gasUsed') return covered.gas;
  if (/Tps$/.test(metric)) return covered.blocks && (covered.times || variant === 'calendar_seconds');
  if (/Gps$/.test(metric)) return covered.gas && (covered.times || variant === 'calendar_seconds');
  if (/contracts|deployers/i.test(metric))
    return (
      (variant === 'receipts_only' || covered.traces) &&
      (!/^(receipts_only|without_failed_tx)$/.test(variant) || covered.receipts)
    );
  return covered.receipts && (variant !== 'from_traces' || covered.traces);
}

/** Nearest double of a quotient. */
function nearest(numerator: bigint, denominator: bigint): number {
  const bits = 200n;
  const scaled = (numerator << bits) / denominator;
  return Number((scaled << 1n) | ((numerator << bits) % denominator === 0n ? 0n : 1n)) / 2 ** Number(bits + 1n);
}

/** A row of mart.metric, but for the SQL that made it. */
export interface MetricRow {
  readonly metric: string;
  readonly interval: Interval;
  readonly bucket: string;
  readonly numerator: string | null;
  readonly denominator: string | null;
  readonly value: number | null;
  readonly covered: boolean;
  readonly overflows: boolean;
  readonly place: string;
}

/** Every row that a metric has after some loads, by one reading of its definition. */
export function computeMetric(metric: string, variant: string, world: World, loads: readonly Load[]): MetricRow[] {
  const known = knownBlocks(world, loads);
  const asked = bucketsOf(world, known).filter(({ interval }) => interval === 'day' || inAllIntervals.includes(metric));
  const beginsAtGenesis = known.has(1);
  let isWhole = beginsAtGenesis;
  return asked.map(({ interval, start, blocks, held, state, source, covered }) => {
    const [, end] = bucketAt(interval, start);
    const own = isCovered(metric, variant, covered);
    isWhole &&= own;
    const counted = isLevel(metric)
      ? world.blocks.filter(
          ({ number, time }) =>
            number > 0 && number <= newestOf(known) && time < (variant === 'exclusive' ? start : end),
        )
      : blocks;
    const isKnown = isLevel(metric) ? isWhole : own;
    const { numerator, denominator } = isKnown ? (rules[metric] as Rule)(world, counted, variant) : none;
    const overflows = numerator !== null && numerator > most;
    return {
      metric,
      interval,
      bucket: new Date(start * 1000).toISOString().slice(0, 19).replace('T', ' '),
      numerator: overflows ? null : text(numerator),
      denominator: text(denominator),
      value: numerator === null || denominator === null || overflows ? null : nearest(numerator, denominator),
      covered: isKnown,
      overflows,
      place: `${state} ${held[0]?.number ?? '-'}..${held.at(-1)?.number ?? '-'} ${source ?? '-'}`,
    };
  });
}

const newestOf = (known: ReadonlyMap<number, unknown>) => Math.max(...known.keys());
const text = (n: bigint | null) => (n === null ? null : String(n));
