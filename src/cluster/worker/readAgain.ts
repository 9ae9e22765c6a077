import type { RangeStream } from '../../core/stream/stream.ts';
import { hasValues, identifier } from '../../core/text/sqlText.ts';
import { assertHolds } from '../../run/read/lookAtRange.ts';
import type { ReadContext } from '../../run/read/partitionContext.ts';
import { readPositions } from '../../run/read/readPositions.ts';
import type { Lease } from '../contract.ts';
import type { LeaseContext } from './leaseContext.ts';
import { type AppliedLake, queryLake } from './queryLake.ts';
import { rowInCluster } from './rowInCluster.ts';
import { wholeSql } from './wholeSql.ts';

/**
 * Reads positions again: their rows take the place of those that are there. Of what was taken in part before, what was read whole meanwhile stays; of days,
 * what the source does not have whole any more.
 */
export async function readAgain(
  stream: RangeStream,
  context: ReadContext,
  lease: Lease,
  { ledger, lake, replacing }: LeaseContext,
): Promise<void> {
  const { range, again } = lease;
  if (!range) throw new TypeError(`${stream.id} is read again by stretches`);
  const saved = lease.cursor as { next: number } | null;
  const first = saved?.next ?? range.first;
  // The settings may have changed once more.
  if (stream.takesPart?.(context.partition)) {
    if (again === 'whole') return ledger.leaveInPart(lease);
    await ledger.takeInPart(lease, first);
  }
  // It is not linked to what lies beside it.
  const stands = await ledger.standsAt(lease);
  const held = rowInCluster({ partition: lease.partition, ...stands }, { ledger, lake });
  await assertHolds(stream, context, Number(stands.cursor?.['next']) - 1, held);
  // What the source has by now of what is kept may be less.
  if (stream.keeps) replacing.without = await positionsRead(stream, context, range, lake);
  replacing.unlessWhole = again === 'days';
  await readPositions(stream, context, { saved, first, last: range.last, durable: (next) => ({ next }) });
}

/** Positions of a range of which everything was read that the stream keeps, or the source failed to give it. */
async function positionsRead(
  stream: RangeStream,
  { partition: { values } }: ReadContext,
  { first, last }: NonNullable<Lease['range']>,
  lake: AppliedLake,
): Promise<number[]> {
  const at = identifier(stream.position);
  const sql = `SELECT DISTINCT ${at} AS "at" FROM (${wholeSql(stream)}) AS whole WHERE ${hasValues(values)} AND ${at} BETWEEN ${first} AND ${last}`;
  return (await queryLake<{ at: bigint }>(lake, sql, values)).map((row) => Number(row.at));
}
