import type { NetworkFacts } from '../../core/stream/network.ts';
import type { Partition, Stream } from '../../core/stream/stream.ts';
import { allPartitions, type PlannedStream } from '../planStreams.ts';

/** Lets snapshots whose lists were changed go on where they were, judged by all that is configured. */
export async function adoptLists(
  configured: readonly PlannedStream[],
  network: NetworkFacts,
  adopt: (stream: Stream, partitions: readonly Partition[]) => Promise<void>,
): Promise<void> {
  const snapshots = configured.filter(({ stream }) => stream.way === 'snapshot');
  for (const stream of new Set(snapshots.map((one) => one.stream))) {
    const own = snapshots.filter((one) => one.stream === stream);
    const partitions = allPartitions(own, network) ?? [];
    if (partitions.some(({ lists, extras }) => lists ?? extras)) await adopt(stream, partitions);
  }
}
