import { FirnError } from '../../core/firnError.ts';
import { checkpointKeyOf } from '../../core/stream/checkpointKey.ts';
import type { Declared } from '../../core/stream/stream.ts';
import { backfillCommand, isBackfill, type OpenBackfill, openBackfills } from '../../load/bookkeeping/openBackfills.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { noStream } from './dropStream.ts';

/** The partitions whose checkpoints were forgotten, and the backfills of them that stay. */
export interface ResetStream {
  readonly stream: string;
  readonly partitions: readonly string[];
  readonly backfills: readonly Pick<OpenBackfill, 'partition' | 'asked'>[];
}

/**
 * Forgets how far a stream, or one of its partitions, was read, and which keys it looked up. Backfills stay: what one has read lies apart from
 * the rows above, and only its own checkpoint tells that those between are still to be read. Days that are read again replace rows that are
 * there: these are forgotten, too.
 *
 * @param partition as `firn state` prints it; all of them if omitted
 * @throws FirnError `usage` where there is no such stream, or nothing but a backfill · `not_found` where there is no checkpoint
 */
export async function resetStream(
  warehouse: Warehouse,
  declared: readonly Declared[],
  id: string,
  partition?: string,
): Promise<ResetStream> {
  const of = partition === undefined ? '' : ` AND ("partition" = $2 OR starts_with("partition", $2 || '|again '))`;
  const where = `stream = $1${of}`;
  const values = partition === undefined ? [id] : [id, partition];
  const partitions = await warehouse.transaction(async (tx) => {
    const forget = (table: string, which: string) =>
      tx.query<{ partition: string }>(
        `DELETE FROM firn.${table} WHERE ${where} AND ${which} RETURNING "partition"`,
        values,
      );
    // What is read key by key has no checkpoint, but notes of its keys.
    const rows = [...(await forget('checkpoint', `NOT ${isBackfill}`)), ...(await forget('lookup', 'true'))];
    return [...new Set(rows.map((row) => row.partition))];
  });
  const backfills = (await openBackfills(warehouse.query)).filter(
    (one) =>
      one.stream === id && [undefined, one.partition, checkpointKeyOf(one.partition, 'backfill')].includes(partition),
  );
  const [backfill] = backfills;
  if (partitions.length > 0)
    return { stream: id, partitions, backfills: backfills.map(({ partition, asked }) => ({ partition, asked })) };
  if (backfill)
    throw new FirnError(
      'usage',
      `A backfill that is under way is not forgotten: the rows between those that it has read and those above would never be read. ${backfillCommand(backfill)} goes on.`,
    );
  if (!declared.some((stream) => stream.id === id)) throw noStream(id, declared);
  const which = partition ? ` (${partition})` : '';
  throw new FirnError('not_found', `There is no checkpoint of ${id}${which}. "firn state" lists them all.`);
}
