import type { Partition, Stream } from '../../core/stream/stream.ts';

/**
 * What to say of a cluster's partition of which a part was taken, and all is wanted now.
 *
 * @param from the first position of which only a part was taken; undefined or null where there is none
 */
export function restUnread(stream: Stream, partition: Partition, from: number | null | undefined): string | undefined {
  if (stream.way !== 'range' || from === undefined || from === null || stream.takesPart?.(partition)) return undefined;
  return `From ${stream.position} ${from} on it was read in part. Workers read that again, once all that is new is read.`;
}
