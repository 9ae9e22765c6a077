import type { Partition } from '../../core/stream/partition.ts';
import type { RangeStream, Stream } from '../../core/stream/stream.ts';
import { wasDropped } from './lookBack.ts';
import { lowestHeld } from './noteBegin.ts';
import type { LookContext } from './partitionContext.ts';
import type { RangePosition } from './rangePosition.ts';

/**
 * What to say of a cluster's partition of which a part was taken, and all is wanted now.
 *
 * @param from the first position of which only a part was taken; undefined or null where there is none
 */
export function restUnread(stream: Stream, partition: Partition, from: number | null | undefined): string | undefined {
  if (stream.way !== 'range' || from === undefined || from === null || stream.takesPart?.(partition)) return undefined;
  return `From ${stream.position} ${from} on it was read in part. Workers read that again, once all that is new is read.`;
}

/**
 * The position from which on rows are read again up to the checkpoint, as only a part was taken of them and all is wanted now; undefined where there are
 * none. Of those that were dropped because of their age nothing is wanted back.
 */
export async function readAgainFrom(
  stream: RangeStream,
  { partition, warehouse }: Pick<LookContext, 'partition' | 'warehouse'>,
  { next, partFrom }: RangePosition,
): Promise<number | undefined> {
  if (partFrom === undefined || stream.takesPart?.(partition)) return undefined;
  if (!(await wasDropped(warehouse, stream))) return partFrom;
  const from = Math.max(partFrom, Number((await lowestHeld(stream, { partition, warehouse })) ?? next));
  return from < next ? from : undefined;
}
