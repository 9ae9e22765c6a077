import type { EvmBlock } from '../evm/evmHistory.ts';
import type { Bucket } from './bucketsOf.ts';
import { isGreater, type Ratio, ratio, whole } from './ratio.ts';

/** Readings of the averages and maxima a second that differ from the documented ones. */
export const averageVariants = ['first_day_null', 'empty_day_null', 'calendar_seconds'] as const;
export type AverageVariant = (typeof averageVariants)[number];
export const maximumVariants = ['merge_second', 'dt_one', 'milliseconds'] as const;
export type MaximumVariant = (typeof maximumVariants)[number];

type Amount = (block: EvmBlock) => bigint;

/** Sum over the day's blocks / seconds between the last block before the day and the last of the day. A day without a block has 0. */
export function averageRate(bucket: Bucket, amount: Amount, variant: AverageVariant | null): Ratio | null {
  const total = bucket.blocks.reduce((so, block) => so + amount(block), 0n);
  if (variant === 'calendar_seconds') return ratio(total, BigInt(bucket.end - bucket.start));
  const last = bucket.blocks.at(-1);
  if (last === undefined) return variant === 'empty_day_null' ? null : whole(0);
  if (bucket.previous === null) return null;
  if (variant === 'first_day_null' && bucket.previous.number === 0) return null;
  return ratio(total, BigInt(last.time - bucket.previous.time));
}

/** Greatest amount of a block / seconds since the block before it; blocks in the same second as their parent are skipped. */
export function maximumRate(bucket: Bucket, amount: Amount, variant: MaximumVariant | null): Ratio | null {
  const blocks =
    variant === 'merge_second'
      ? mergeSeconds(bucket, amount)
      : bucket.blocks.map((block) => ({ block, total: amount(block) }));
  let greatest: Ratio | null = null;
  let previous = bucket.previous;
  for (const { block, total } of blocks) {
    const rate = previous === null ? null : rateOf(total, previous, block, variant);
    if (rate !== null && (greatest === null || isGreater(rate, greatest))) greatest = rate;
    previous = block;
  }
  return greatest;
}

function rateOf(total: bigint, previous: EvmBlock, block: EvmBlock, variant: MaximumVariant | null): Ratio | null {
  const seconds = BigInt(block.time - previous.time);
  if (variant === 'dt_one' && seconds === 0n) return ratio(total, 1n);
  if (variant === 'milliseconds' && block.timeMilliseconds !== null && previous.timeMilliseconds !== null) {
    return ratio(total * 1000n, BigInt(block.timeMilliseconds - previous.timeMilliseconds));
  }
  return ratio(total, seconds);
}

/** Blocks of one second count as one. */
function mergeSeconds(bucket: Bucket, amount: Amount): { block: EvmBlock; total: bigint }[] {
  const merged: { block: EvmBlock; total: bigint }[] = [];
  for (const block of bucket.blocks) {
    const last = merged.at(-1);
    if (last?.block.time === block.time) last.total += amount(block);
    else merged.push({ block, total: amount(block) });
  }
  return merged;
}
