import type { Unresolved } from '../../core/unresolved.ts';
import type { DroppedReads } from '../../load/bookkeeping/droppedReads.ts';
import type { StatusData } from '../reportData.ts';
import type { PartitionOutcome, RunFile } from './readRuns.ts';

/** What a worker told of a partition. */
export interface ReadByWorkers extends Omit<PartitionOutcome, 'pipeline' | 'readAt'> {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The part of the status that the reader database does not know. */
export interface StatusContext
  extends Pick<StatusData, 'firnVersion' | 'running' | 'unreadable' | 'dailyQuota' | 'pipelines'> {
  readonly now: number;
  /** Runs, from files beside the state. */
  readonly runs: readonly RunFile[];
  /** What `firn state drop` took away since runs told of it. */
  readonly dropped?: DroppedReads | undefined;
  /** What workers of a cluster last told of partitions, when each was last read to its source's end, and when any was last heard of: runs read nothing there. */
  readonly workers?: Readonly<Record<'last' | 'read', readonly ReadByWorkers[]>> & { readonly heardAt: number | null };
  /** What was unresolved when a run or command last looked; null where that is not known: then what was published counts. */
  readonly unresolved: Unresolved | null;
  /** The column with the time of what rows tell, by stream, for streams without history. */
  readonly times: ReadonlyMap<string, string>;
}
