import { parseBound } from '../../core/heights/findHeight.ts';
import { fixedBound, momentOf } from '../../core/heights/fixedBound.ts';
import { isBefore } from '../../core/heights/isBefore.ts';
import { mayBeBefore } from '../../core/heights/mayBeBefore.ts';
import type { Floor } from '../../core/paging/newestFirst.ts';
import { partitionName } from '../../core/partitionName.ts';
import type { Position } from '../../core/stream/partition.ts';
import { literal, ofPartition } from '../../core/text/sqlText.ts';
import type { Statements } from '../database/transaction.ts';

/** From where on partitions were read, by `partitionName`. */
export type Begun = ReadonlyMap<string, string>;

/** Reads all of it: of lists by address, each address is a partition. */
export async function readBegun(query: Statements['query']): Promise<Begun> {
  const rows = await query<Record<'stream' | 'partition' | 'from', string>>(
    'SELECT stream, "partition", "from" FROM firn.begun',
  );
  return new Map(rows.map(({ stream, partition, from }) => [partitionName(stream, partition), from]));
}

/**
 * What to note of a read that begins now. Where nothing came of an earlier one, an age goes on as what it meant then.
 *
 * @param begun what is noted · @param now milliseconds since 1970
 */
export function begunFrom(begin: string, begun: string | null | undefined, now: number): string {
  const from = fixedBound(begin, now);
  return from !== begin && begun && !mayBeBefore(from, begun, now) ? begun : from;
}

/** Statements that note from where on a partition was read. */
export const noteBegun = (stream: string, partition: string, from: string): readonly string[] => [
  `DELETE FROM firn.begun WHERE ${ofPartition(stream, partition)}`,
  `INSERT INTO firn.begun VALUES (${literal(stream)}, ${literal(partition)}, ${literal(from)})`,
];

/**
 * What to note of a backfill that has read a partition from `asked` on; undefined where what is noted stays. A height and a date cannot be compared: then
 * the note becomes, or stays, of the kind that the configuration has, with which it is compared from then on.
 *
 * @param begun what is noted · @param wanted where the configuration has the partition begin · @param now milliseconds since 1970
 */
export function lowerBegun(
  asked: string,
  begun: string | undefined,
  wanted: string | undefined,
  now: number,
): string | undefined {
  const from = fixedBound(asked, now);
  const isBelow = (other: string | undefined) =>
    other === undefined ? undefined : isBefore(parseBound(from), parseBound(fixedBound(other, now)));
  return (isBelow(begun) ?? isBelow(wanted) !== undefined) ? from : undefined;
}

/** From where on a list was read, as far as its position says it: where an earlier version read it, nothing else does. */
export function begunBy(position: Position): string | undefined {
  const { since, reading } = position as { since?: unknown; reading?: { until?: unknown } };
  // Of the first read under way only the floor is known.
  const floor = since ?? reading?.until;
  const { time, height } = (typeof floor === 'number' ? { time: floor } : (floor ?? {})) as Partial<Floor>;
  if (typeof height === 'number') return String(height);
  return typeof time === 'number' ? momentOf(time * 1000) : undefined;
}
