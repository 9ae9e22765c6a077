import type { NetworkFacts } from '../../core/network.ts';
import { type Partition, partitionKey } from '../../core/stream.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import type { PlannedStream } from '../planStreams.ts';

/**
 * Lets a snapshot whose list of names (addresses, nodes) was changed go on where it was: what was read with the list before
 * becomes the new partition's. Its next read then ends what is gone, instead of leaving the rows of the old list current for
 * ever beside its own.
 *
 * @param planned everything that is configured: a partition that still is keeps what it has
 */
export async function adoptPartitions(
  warehouse: Warehouse,
  planned: readonly PlannedStream[],
  network: NetworkFacts,
): Promise<void> {
  for (const id of new Set(planned.flatMap(({ stream }) => (stream.way === 'snapshot' ? [stream.id] : [])))) {
    const partitions = partitionsOf(
      planned.filter(({ stream }) => stream.id === id),
      network,
    );
    if (!partitions.some(({ lists }) => lists)) continue;
    const keys = new Set(partitions.map(partitionKey));
    const rows = await warehouse.query<{ partition: string }>(
      'SELECT "partition" FROM firn.checkpoint WHERE stream = $1',
      [id],
    );
    const read = rows.map(({ partition }) => partition);
    const left = read.filter((key) => !keys.has(key));
    const fresh = partitions.filter((partition) => !read.includes(partitionKey(partition)));
    for (const partition of fresh) {
      const [own, ...rivals] = fresh.filter((other) => isLike(partition, partitionKey(other)));
      const [before, ...others] = left.filter((key) => isLike(partition, key));
      // Where two lists could be meant, both stay for themselves.
      if (own && before !== undefined && rivals.length === 0 && others.length === 0)
        await rename(warehouse, id, before, partitionKey(partition));
    }
  }
}

/** Every partition of a stream. One that cannot be said fails later, with its own sentence: until then nothing is certain. */
function partitionsOf(planned: readonly PlannedStream[], network: NetworkFacts): readonly Partition[] {
  try {
    return planned.flatMap(({ stream, parameters }) => stream.partitions(parameters as never, network));
  } catch {
    return [];
  }
}

/** Whether a key is that of the same partition but for its lists. */
function isLike(partition: Partition, key: string): boolean {
  const { lists = [] } = partition;
  const isList = (member: string) => lists.some((name) => member.startsWith(`${name}=`));
  const [own, other] = [partitionKey(partition), key].map((text) => text.split(/(?<!\\),/));
  const rest = (members: readonly string[] = []) => members.filter((member) => !isList(member)).join();
  return lists.length > 0 && own?.length === other?.length && rest(own) === rest(other);
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
