import { FirnError } from '../../core/firnError.ts';
import { partitionName } from '../../core/partitionName.ts';
import { readDropped } from '../../load/bookkeeping/droppedReads.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { goneSentence } from './goneSentence.ts';

/** Gives until when something was read of a partition, as `2026-02-03 04:05` in UTC; null for what was never read. */
export type ReadUntil = (stream: string, partition: string) => Promise<string | null>;

/**
 * What "not offered" means of a partition that was read before: a path that moved or an index that was switched off. It must not pass for
 * nothing to read, since runs would end well and read nothing from then on.
 *
 * @param cause with the context of an answer, where it was one that said so
 * @param readUntil tells it where the warehouse does not
 * @returns undefined for what was never read
 */
export async function offeredBefore(
  warehouse: Warehouse,
  stream: string,
  partition: string,
  cause: FirnError,
  readUntil: ReadUntil = readIn(warehouse),
): Promise<FirnError | undefined> {
  // What a stream knows by itself, such as a subnet that became an L1 and has no supply of its own any more, is no outage.
  if (Object.keys(cause.context).length === 0) return undefined;
  const until = await readUntil(stream, partition);
  if (until === null) return undefined;
  const sentence = goneSentence(`until ${until} UTC`, cause.message);
  return new FirnError('unavailable', sentence, { context: cause.context, cause });
}

const readIn =
  (warehouse: Warehouse): ReadUntil =>
  async (stream, partition) => {
    // Loads stay when what they brought is dropped.
    const droppedAt = (await readDropped(warehouse.folder)).get(partitionName(stream, partition)) ?? 0;
    const [row] = await warehouse.query<{ until: string | null }>(
      `SELECT strftime(max(told_at), '%Y-%m-%d %H:%M') AS until FROM (
         SELECT updated_at AS told_at FROM firn.checkpoint WHERE stream = $1 AND "partition" = $2
         UNION ALL SELECT committed_at FROM firn.load
         WHERE stream = $1 AND "partition" = $2 AND rows_written > 0 AND epoch_ms(committed_at) > $3)`,
      [stream, partition, BigInt(droppedAt)],
    );
    return row?.until ?? null;
  };
