import type { Log } from '../../core/log.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import type { NetworkAsFarAsKnown, PlannedStream } from '../../run/planStreams.ts';
import type { PartitionResult, SyncOptions } from '../../run/read/syncOptions.ts';
import type { BackfillRequest } from '../../run/upkeep/backfillPartition.ts';
import type { Lease, Ledger, PartitionName, Stage } from '../contract.ts';
import type { AppliedLake } from './queryLake.ts';

/** What a worker is given. */
export interface WorkerOptions extends Pick<SyncOptions, 'fetch' | 'notReady' | 'problems' | 'clock'> {
  readonly ledger: Ledger;
  readonly stage: Stage;
  readonly lake: AppliedLake;
  /** Applies files that wait; called when nothing else is due. Gives whether there were any. */
  readonly applyRest?: (() => Promise<boolean>) | undefined;
  readonly planned: readonly PlannedStream[];
  readonly network: NetworkFacts;
  /** Asks once more what the network is: a chain may have been down when the worker began. */
  readonly resolve?: (() => Promise<NetworkAsFarAsKnown>) | undefined;
  /** Folder for what is on its way; nothing in it outlives the worker. A state in it is what others begin from. */
  readonly scratch: string;
  /** Name of the worker: machine and process. */
  readonly owner: string;
  /** Raised by SIGTERM: batches under way are committed, and leases given back. */
  readonly signal: AbortSignal;
  readonly log?: Log | undefined;
  /** Called for every part that was read, and first for every partition that cannot be. */
  readonly finished?: ((part: WorkerPart, result: PartitionResult) => void) | undefined;
  /** Ends when nothing is due that nobody holds. Default: never. */
  readonly untilIdle?: boolean | undefined;
  readonly timing?: Partial<Timing> | undefined;
  /** Parts read at once. */
  readonly atOnce?: number | undefined;
  /** Length of a stretch of positions, in requests. */
  readonly stretches?: number | undefined;
  /** A backfill to read first, of every partition that allows it. */
  readonly backfill?: BackfillRequest | undefined;
}

export type WorkerPart = PartitionName & Partial<Lease>;

/** Milliseconds. */
export interface Timing {
  /** How long a lease holds; it is renewed three times in that. */
  readonly lease: number;
  /** Between looks: at a source for what is new, at lists that are read whole, lookups and chains that did not answer, and at the ledger when nothing is due. */
  readonly look: number;
  readonly list: number;
  readonly idle: number;
  /** Before a part that failed is tried again, and one that its source does not offer. */
  readonly retry: number;
  readonly notOffered: number;
}

export const usualTiming: Timing = {
  lease: 60_000,
  look: 10_000,
  list: 600_000,
  idle: 1_000,
  retry: 30_000,
  notOffered: 3_600_000,
};
