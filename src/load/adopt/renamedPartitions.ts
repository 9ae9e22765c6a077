import { type Partition, partitionKey, partitionMembers } from '../../core/stream/partition.ts';

/**
 * Which partitions that were read go on as others that are configured: their lists of names, or extras, were changed.
 *
 * @param read keys of those that were read
 * @param partitions all that are configured of the stream: one that was read already keeps what it has
 */
export function renamedPartitions(
  read: readonly string[],
  partitions: readonly Partition[],
): { readonly before: string; readonly after: string }[] {
  // Several pipelines may name one and the same.
  const configured = new Map(partitions.map((partition) => [partitionKey(partition), partition]));
  const left = [...new Set(read)].filter((key) => !configured.has(key));
  const fresh = [...configured].flatMap(([key, partition]) => (read.includes(key) ? [] : [partition]));
  return fresh.flatMap((partition) => {
    const rivals = fresh.filter((other) => isLike(partition, partitionKey(other)));
    const [before, ...others] = left.filter((key) => isLike(partition, key));
    // Where it could continue either of two lists, it continues neither.
    const isOne = before !== undefined && rivals.length === 1 && others.length === 0;
    return isOne ? [{ before, after: partitionKey(partition) }] : [];
  });
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
