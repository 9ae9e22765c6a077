import type { RowSet } from '../../core/parse/rowSet.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import type { Declared } from '../../core/stream/stream.ts';

/** A record that could not be read, whole, with the reason. */
export interface Quarantined {
  readonly record: string;
  readonly reason: string;
}

/** A member that the schema does not know, with one value as JSON. */
export interface MemberExample {
  readonly member: string;
  readonly example: string;
}

/** The outcome of a key about which there was nothing when it was asked for first. */
export const unconfirmed = 'unconfirmed';

/** A key that was looked up, and what came of it. */
export interface LookupNote {
  readonly key: string;
  readonly outcome: string;
  /** Whether it was noted before: that note goes. */
  readonly isAgain?: boolean | undefined;
}

/** Rows of one or more pages on their way into the warehouse. */
export interface Batch {
  readonly sets: readonly RowSet[];
  readonly quarantined: readonly Quarantined[];
  /** Entries of the quarantine whose records are among the rows now. */
  readonly replayed?: readonly bigint[];
  readonly unknown: readonly MemberExample[];
  /** Keys that a lookup asked for, with what came of each. */
  readonly lookups?: readonly LookupNote[];
  /** Where in the table's range begins what its one page holds all of. */
  readonly holdsFrom?: number | undefined;
  /** Positions that the source does not have, both ends included. */
  readonly gaps?: readonly { readonly from: number; readonly to: number }[];
  /** Records read, good and bad. */
  readonly records: number;
  readonly pages: number;
  readonly bytes: number;
  /** The first request, for the load row. */
  readonly request: string;
  /** Milliseconds since the epoch: when the newest answer was asked for. */
  readonly fetchedAt: number;
}

export interface Commit<Of = BatchFacts> {
  readonly stream: Declared;
  readonly partition: Partition;
  readonly runId: string;
  readonly batch: Of;
  /** The checkpoint that the read began from, and the one to make durable; the same where it does not move. */
  readonly from: Position | null;
  readonly to: Position | null;
  /** HTTP requests that were sent for it, where that is known. */
  readonly requests?: number | undefined;
  /** Key of the checkpoint, where it is not the partition's own: a backfill has one beside it. */
  readonly checkpointKey?: string | undefined;
  /** From where on the partition is read, where it is not read any further down by itself. */
  readonly begin?: string | undefined;
}

/** A batch without its rows. */
export type BatchFacts = Omit<Batch, 'sets'>;
