import { type Declared, type Partition, partitionKey, partitionMembers } from '../../core/stream/stream.ts';
import type { Warehouse } from '../state/warehouse.ts';

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
  // Several pipelines may name one and the same.
  const configured = new Map(partitions.map((partition) => [partitionKey(partition), partition]));
  const withCheckpoint = await partitionsIn(
    warehouse,
    'SELECT "partition" FROM firn.checkpoint WHERE stream = $1',
    stream,
  );
  if ([...configured.keys()].every((key) => withCheckpoint.includes(key))) return;
  // One whose checkpoint was reset is told by its rows.
  const withRows = await partitionsIn(
    warehouse,
    `SELECT DISTINCT "partition" FROM firn.load WHERE stream = $1 AND load_id IN (SELECT _load_id FROM ${stream.table.name} WHERE _valid_to IS NULL)`,
    stream,
  );
  const read = [...new Set([...withCheckpoint, ...withRows])];
  const left = read.filter((key) => !configured.has(key));
  const fresh = [...configured].flatMap(([key, partition]) => (read.includes(key) ? [] : [partition]));
  for (const partition of fresh) {
    const [own, ...rivals] = fresh.filter((other) => isLike(partition, partitionKey(other)));
    const [before, ...others] = left.filter((key) => isLike(partition, key));
    // Where it could continue either of two lists, it continues neither.
    if (own && before !== undefined && rivals.length === 0 && others.length === 0)
      await rename(warehouse, stream.id, before, partitionKey(partition));
  }
}

async function partitionsIn({ query }: Warehouse, sql: string, { id }: Pick<Declared, 'id'>): Promise<string[]> {
  const rows = await query<{ partition: string }>(sql, [id]);
  return rows.map(({ partition }) => partition);
}

/** Whether a key is that of the same partition but for its lists and extras. */
function isLike(partition: Partition, key: string): boolean {
  const { lists = [], extras = [] } = partition;
  const shapeOf = (text: string) =>
    [...partitionMembers(text)]
      .filter(([name]) => !extras.includes(name))
      .map(([name, value]) => (lists.includes(name) ? 'a list' : JSON.stringify([name, value])))
      .sort()
      .join();
  return shapeOf(partitionKey(partition)) === shapeOf(key);
}

async function rename(warehouse: Warehouse, stream: string, before: string, after: string): Promise<void> {
  await warehouse.transaction(async (tx) => {
    for (const table of ['load', 'checkpoint', 'quarantine']) {
      await tx.run(`UPDATE firn.${table} SET "partition" = $3 WHERE stream = $1 AND "partition" = $2`, [
        stream,
        before,
        after,
      ]);
    }
  });
}
