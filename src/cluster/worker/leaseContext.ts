import type { FirnError } from '../../core/firnError.ts';
import type { Partition } from '../../core/stream/partition.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Chained } from '../../run/read/sameChain.ts';
import type { BackfillRequest } from '../../run/upkeep/backfillPartition.ts';
import type { Ledger, Stage } from '../contract.ts';
import type { AppliedLake } from './queryLake.ts';
import type { Replacing } from './replacing.ts';

/** What a lease is read with. */
export interface LeaseContext extends StagedContext, Found {
  readonly ledger: Ledger;
  readonly lake: AppliedLake;
  /** Length of a stretch of positions, in requests. */
  readonly stretches: number;
  /** All partitions by position that the worker reads. */
  readonly ranges: readonly RangePartition[];
  /** The backfill to read, where the lease is for one. */
  readonly request?: BackfillRequest | undefined;
  /** Where the configuration has the partition begin, where a backfill reads what lies below. */
  readonly begin: string | undefined;
  /** What becomes of rows of positions that were read before. */
  readonly replacing: Replacing;
}

/** What was found out while leases were read, for those that follow. */
export interface Found {
  /** Where a look back begins below cursors below which the lake was found to hold nothing that is too old for it, by stream, partition and cursor. */
  readonly young: Map<string, number | null>;
  /** What was found by lists of a chain, and until when that counts: each snapshot of that chain asks. */
  readonly looked: Map<string, { readonly until: number; readonly refusal: FirnError | undefined }>;
  /** Until when nothing is looked for that a source failed to give, by stream and partition. */
  readonly askedAgain: Map<string, number>;
}

export interface RangePartition {
  readonly stream: RangeStream;
  readonly partition: Partition;
}

export interface ListPartition {
  readonly stream: Chained;
  readonly partition: Partition;
}

/** What rows that wait in the stage are read with. */
export interface StagedContext {
  readonly ledger: Pick<Ledger, 'newestPending'>;
  readonly stage: Pick<Stage, 'fetch'>;
  readonly scratch: Pick<Warehouse, 'folder' | 'query' | 'run'>;
  /** All partitions of lists that tell of which chain they are. */
  readonly lists: readonly ListPartition[];
}
