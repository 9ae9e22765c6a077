import type { EvmBlock } from '../evm/evmHistory.ts';
import { bucketEnd, bucketStart } from './bucketTime.ts';
import type { Interval } from './metricNames.ts';

/** The blocks of one bucket, and what lies before them. */
export interface Bucket {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly blocks: readonly EvmBlock[];
  /** The last block before the bucket, on whichever day. */
  readonly previous: EvmBlock | null;
}

/**
 * Cuts blocks (ascending; genesis first, if it is there) into buckets, ascending.
 * Days are continuous from the first block after genesis to the last; hours, weeks and months without a block are left out.
 */
export function bucketsOf(blocks: readonly EvmBlock[], interval: Interval): Bucket[] {
  const buckets: Bucket[] = [];
  let previous: EvmBlock | null = null;
  let open: EvmBlock[] = [];
  let start = 0;
  const close = (): void => {
    buckets.push({ start, end: bucketEnd(start, interval), blocks: open, previous });
    previous = open.at(-1) ?? previous;
  };
  for (const block of blocks) {
    if (block.number === 0) {
      previous ??= block;
      continue;
    }
    const own = bucketStart(block.time, interval);
    if (open.length > 0 && own !== start) {
      close();
      if (interval === 'day') {
        open = [];
        for (start = bucketEnd(start, 'day'); start < own; start = bucketEnd(start, 'day')) close();
      }
      open = [];
    }
    start = own;
    open.push(block);
  }
  if (open.length > 0) close();
  return buckets;
}
