import type { RangeStream } from '../../core/stream/stream.ts';
import { hasValues, identifier, literal } from '../../core/text/sqlText.ts';
import type { ReadContext } from '../../run/read/partitionContext.ts';
import { assertHolds, readPositions } from '../../run/read/readRange.ts';
import type { Lease } from '../contract.ts';
import { type AppliedLake, queryLake } from './queryLake.ts';
import type { LeaseContext } from './readLease.ts';
import { rowInCluster } from './rowInCluster.ts';

/** Reads positions again of which a part was taken: their rows take the place of those that are there. What was read whole meanwhile stays. */
export async function readAgain(
  stream: RangeStream,
  context: ReadContext,
  lease: Lease,
  { ledger, lake, replacing }: LeaseContext,
): Promise<void> {
  const { range } = lease;
  if (!range) throw new TypeError(`${stream.id} is read again by stretches`);
  // The settings may have changed once more.
  if (stream.takesPart?.(context.partition)) return ledger.leaveInPart(lease);
  // It is not linked to what lies beside it.
  const stands = await ledger.standsAt(lease);
  const held = rowInCluster({ partition: lease.partition, ...stands }, { ledger, lake });
  await assertHolds(stream, context, Number(stands.cursor?.['next']) - 1, held);
  // What the source has by now of what is kept may be less.
  if (stream.keeps) replacing.without = await positionsRead(stream, context, range, lake);
  const saved = lease.cursor as { next: number } | null;
  const first = saved?.next ?? range.first;
  await readPositions(stream, context, { saved, first, last: range.last, durable: (next) => ({ next }) });
}

/** Positions of a range of which everything was read that the stream keeps, or the source failed to give it. */
async function positionsRead(
  { id, keeps, position, children }: RangeStream,
  { partition: { values } }: ReadContext,
  { first, last }: NonNullable<Lease['range']>,
  lake: AppliedLake,
): Promise<number[]> {
  const table = keeps && children[keeps.told]?.table;
  if (!table) throw new TypeError(`${id} keeps nothing of what was read before`);
  const at = identifier(position);
  const sql = `SELECT DISTINCT ${at} AS "at" FROM ${table.name} WHERE ${hasValues(values)} AND ${at} BETWEEN ${first} AND ${last} AND ${identifier(keeps.column)} = ${literal(keeps.is)}`;
  return (await queryLake<{ at: bigint }>(lake, sql, values)).map((row) => Number(row.at));
}
