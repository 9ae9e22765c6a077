import { type Partition, partitionKey } from '../../core/stream/partition.ts';
import type { Declared } from '../../core/stream/stream.ts';
import type { Warehouse } from '../state/warehouse.ts';
import { renamedPartitions } from './renamedPartitions.ts';

/**
 * Lets a snapshot whose list of names (addresses, nodes) or extras were changed go on where it was: what was read with the list before
 * becomes the new partition's. Its next read then ends the rows that are gone, instead of leaving those of the old list current for
 * ever beside its own.
 *
 * @param partitions all that are configured of the stream: one that still is keeps what it has
 */
export async function adoptPartitions(
  warehouse: Warehouse,
  stream: Pick<Declared, 'id' | 'table'>,
  partitions: readonly Partition[],
): Promise<void> {
  const withCheckpoint = await partitionsIn(
    warehouse,
    'SELECT "partition" FROM firn.checkpoint WHERE stream = $1',
    stream,
  );
  if (partitions.every((partition) => withCheckpoint.includes(partitionKey(partition)))) return;
  // One whose checkpoint was reset is told by its rows.
  const withRows = await partitionsIn(
    warehouse,
    `SELECT DISTINCT "partition" FROM firn.load WHERE stream = $1 AND load_id IN (SELECT _load_id FROM ${stream.table.name} WHERE _valid_to IS NULL)`,
    stream,
  );
  for (const { before, after } of renamedPartitions([...withCheckpoint, ...withRows], partitions))
    await rename(warehouse, stream.id, before, after);
}

async function partitionsIn({ query }: Warehouse, sql: string, { id }: Pick<Declared, 'id'>): Promise<string[]> {
  const rows = await query<{ partition: string }>(sql, [id]);
  return rows.map(({ partition }) => partition);
}

async function rename(warehouse: Warehouse, stream: string, before: string, after: string): Promise<void> {
  await warehouse.transaction(async (tx) => {
    for (const table of ['load', 'checkpoint', 'quarantine'])
      await tx.run(`UPDATE firn.${table} SET "partition" = $3 WHERE stream = $1 AND "partition" = $2`, [
        stream,
        before,
        after,
      ]);
  });
}
