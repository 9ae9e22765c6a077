import { FirnError } from '../core/firnError.ts';
import type { HttpStats, Log } from '../extract/http.ts';
import { type Outside, realOutside } from '../extract/outside.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { adoptPartitions } from './adoptPartitions.ts';
import { openSources } from './openSources.ts';
import type { PlannedStream } from './planStreams.ts';
import { createReadLimits, type LimitName, type Limits } from './readLimits.ts';
import { resolveNetwork } from './resolveNetwork.ts';
import type { Settings } from './settings.ts';
import { type PartitionResult, type SyncListener, type SyncOptions, syncStreams } from './syncStreams.ts';

export interface SyncPhaseOptions {
  readonly settings: Settings;
  readonly warehouse: Warehouse;
  readonly planned: readonly PlannedStream[];
  /** Everything that is configured, whatever is chosen of it. */
  readonly configured: readonly PlannedStream[];
  readonly runId: string;
  readonly outside?: Outside | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly limits?: Limits | undefined;
  readonly listener?: SyncListener | undefined;
  /** Reads something else of the partitions than what is new. */
  readonly read?: ((options: SyncOptions) => Promise<PartitionResult[]>) | undefined;
}

export interface SyncPhase {
  readonly partitions: PartitionResult[];
  readonly requests: Partial<Record<string, HttpStats>>;
  /** The limit that ended the reading before it was done. */
  readonly stoppedBy: LimitName | null;
}

/** Opens the sources, reads, and closes them, within the limits that the user set. */
export async function syncPhase(options: SyncPhaseOptions): Promise<SyncPhase> {
  const {
    settings,
    warehouse,
    planned,
    configured,
    runId,
    log,
    listener,
    read = syncStreams,
    outside = realOutside,
  } = options;
  const limits = createReadLimits(options.limits ?? {}, options.signal, outside.clock);
  const { signal } = limits;
  const sources = await openSources({ settings, outside, signal, log, warehouse });
  let partitions: PartitionResult[] = [];
  try {
    const fetch = limits.limited(sources.fetch);
    const { network, problems } = await resolveNetwork(warehouse, settings, planned, fetch.node);
    await adoptPartitions(warehouse, configured, network);
    partitions = await read({
      warehouse,
      planned,
      network,
      problems,
      bootstrapping: sources.bootstrapping,
      fetch,
      clock: outside.clock,
      runId,
      signal,
      log,
      ...(listener && { listener }),
    });
  } catch (error) {
    // A limit may be met before the first partition: then there is nothing to tell of any.
    if (!(limits.reached() && error instanceof FirnError && error.code === 'interrupted')) throw error;
  } finally {
    limits.close();
    await sources.close(warehouse);
  }
  return { partitions, requests: sources.stats(), stoppedBy: limits.reached() };
}
