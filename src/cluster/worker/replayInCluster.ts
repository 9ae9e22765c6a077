import { setTimeout as sleep } from 'node:timers/promises';
import { FirnError } from '../../core/firnError.ts';
import type { NetworkFacts } from '../../core/network.ts';
import { partitionKey } from '../../core/stream.ts';
import { createEnricher } from '../../decode/enricher.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import { listPartitions, type PlannedStream } from '../../run/planStreams.ts';
import { type Replayed, replayPartition } from '../../run/upkeep/replayQuarantine.ts';
import type { Lease } from '../contract.ts';
import type { Cluster } from '../openCluster.ts';
import { keepLease } from './keepLease.ts';
import { stagingWarehouse } from './stagingWarehouse.ts';

interface ReplayOptions {
  readonly cluster: Pick<Cluster, 'ledger' | 'stage'>;
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
 * resolves its entries, once, since the partition is leased meanwhile; appliers make it part of the lake.
 *
 * @throws FirnError `locked` where a worker holds a partition for longer than a minute: what was replayed before stays
 */
export async function replayInCluster(options: ReplayOptions): Promise<Replayed[]> {
  const { cluster, planned, network, scratch, owner, signal, leaseMs = 60_000 } = options;
  const { ledger, stage } = cluster;
  const results: Replayed[] = [];
  const enricher = createEnricher();
  try {
    for (const { stream, ...of } of planned) {
      for (const { partition } of listPartitions({ stream, ...of }, { network })) {
        if (!partition || signal.aborted) continue;
        const place = { stream: stream.id, partition: partitionKey(partition) };
        if ((await ledger.waiting(place)).length === 0) continue;
        await ledger.enlist([place]);
        const lease = await waitFor(() => ledger.leaseWhole({ ...place, owner, ms: leaseMs }), leaseMs, signal);
        if (!lease)
          throw new FirnError(
            'locked',
            `${place.stream} (${place.partition}) is being read by a worker. What was replayed before stays: run again when it is done.`,
            { retryable: true },
          );
        try {
          const done = await keepLease(ledger, lease, leaseMs, async () => {
            const warehouse = await stagingWarehouse(scratch, { stream, partition, lease, ledger, stage });
            return replayPartition({ warehouse, network, runId: owner, enrich: enricher.enrich }, stream, partition);
          });
          if (done.tried > 0) results.push({ ...place, ...done });
        } finally {
          await ledger.release(lease, { dueInMs: 0 });
        }
      }
    }
  } finally {
    await enricher.close();
  }
  return results;
}

/** Asks until there is a lease, the time is over or the signal is raised. */
async function waitFor(ask: () => Promise<Lease | null>, ms: number, signal: AbortSignal): Promise<Lease | null> {
  for (const end = performance.now() + ms; ; ) {
    const lease = await ask();
    if (lease || signal.aborted || performance.now() > end) return lease;
    await sleep(250, undefined, { signal }).catch(() => {});
  }
}
