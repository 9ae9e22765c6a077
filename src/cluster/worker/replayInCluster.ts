import { FirnError } from '../../core/firnError.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import { partitionKey } from '../../core/stream/partition.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { PlannedStream } from '../../run/planStreams.ts';
import { type Replayed, replayEach } from '../../run/upkeep/replayQuarantine.ts';
import { whenFree } from '../../run/whenFree.ts';
import type { PartitionName } from '../contract.ts';
import { controlClock } from '../ledger/controlClock.ts';
import type { Cluster } from '../openCluster.ts';
import { keepLease } from './keepLease.ts';
import { stagingWarehouse } from './stagingWarehouse.ts';

interface ReplayOptions {
  readonly cluster: Pick<Cluster, 'control' | 'ledger' | 'stage'>;
  readonly planned: readonly PlannedStream[];
  readonly network: NetworkFacts;
  /** A database of this machine with the tables of the streams; nothing in it outlives the command. */
  readonly scratch: Warehouse;
  /** Name of the process. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** How long a lease holds, and how long one is waited for, in milliseconds. */
  readonly leaseMs?: number;
}

/**
 * Tries the records that wait in the ledger's quarantine again with the schemas of this version. What can be read is staged as a batch that
 * resolves its entries, once, because the partition is leased meanwhile; appliers take it into the lake.
 *
 * @throws FirnError `locked` where a worker holds a partition for longer than a minute, `interrupted`: what was replayed before stays
 */
export async function replayInCluster(options: ReplayOptions): Promise<Replayed[]> {
  const { cluster, planned, network, scratch, owner, signal, leaseMs = 60_000 } = options;
  const { control, ledger, stage } = cluster;
  const { now } = await controlClock(control);
  return replayEach(planned, network, { runId: owner, now }, async ({ stream, partition }, replay) => {
    const place = { stream: stream.id, partition: partitionKey(partition) };
    const sum = { tried: 0, readable: 0 };
    const last = Number((await ledger.waiting(place)).at(-1)?.['id'] ?? 0);
    for (let after = 0; after < last && !signal.aborted; ) {
      await ledger.enlist([place]);
      // Each time anew: what the lease gives to compare with is another once something was replayed.
      const ask = async () => (await ledger.leaseWhole({ ...place, owner, ms: leaseMs })) ?? beingRead(place);
      const lease = await whenFree(ask, { waitMs: leaseMs, signal });
      try {
        const waiting = await ledger.toReplay(lease, after);
        after = Number(waiting.at(-1)?.['id'] ?? Number.POSITIVE_INFINITY);
        const read = { stream, partition, lease, ledger, stage, waiting };
        const { tried, readable } = await keepLease(ledger, lease, leaseMs, async () =>
          replay(await stagingWarehouse(scratch, read)),
        );
        sum.tried += tried;
        sum.readable += readable;
      } finally {
        await ledger.release(lease, { dueInMs: 0 });
      }
    }
    return sum;
  });
}

const beingRead = ({ stream, partition }: PartitionName) =>
  new FirnError(
    'locked',
    `${stream} (${partition}) is being read by a worker. What was replayed before stays: run again when it is done.`,
    { retryable: true },
  );
