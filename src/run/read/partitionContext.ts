import type { FirnError } from '../../core/firnError.ts';
import type { DateBrackets } from '../../core/heights/dateBracket.ts';
import type { RowSet } from '../../core/parse/rowSet.ts';
import type { Rows } from '../../core/rows/rows.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import type { Stream } from '../../core/stream/stream.ts';
import type { Enricher } from '../../decode/senders/enricher.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Fetch } from '../sources/drive.ts';
import type { RangeLook } from './rangePosition.ts';

/** What every way of reading gets. */
export interface ReadContext {
  readonly warehouse: Warehouse;
  readonly partition: Partition;
  readonly network: NetworkFacts;
  /** What this read finds out about its source. */
  readonly state: unknown;
  readonly fetch: Fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** What is known of the heights of dates on the partition's chain. */
  readonly brackets: DateBrackets;
  /** Told every row of the stream's own table that was read: those from `first` on. */
  seen(rows: Rows, first?: number): void;
  /** HTTP requests sent since the last call: those of one load. */
  takeRequests(): number;
  readonly runId: string;
  /** The durable position of the partition, null where it was never read. */
  saved(): Promise<Position | null>;
  /** The result of a look at a range stream, where there was one before the read. */
  readonly look?: RangeLook | undefined;
  /** Where the configuration has it begin, as it is noted of a read that begins there. */
  readonly begin?: string | undefined;
  /** Where the configuration has it begin, whatever is read of it. */
  readonly wanted?: string | undefined;
  /** How rows are committed that are not new rows of the partition: a backfill, a day read again. */
  readonly beside?: { readonly checkpointKey: string; readonly rewrite: boolean } | undefined;
  readonly sameChain?: SameChain | undefined;
  /** Fills the columns of a page that are computed on other threads. */
  readonly enrich: Enricher['enrich'];
  /** Raised by Ctrl-C, SIGTERM, --max-time: what is read is committed, then the read ends. */
  readonly signal: AbortSignal;
  /** Told after every commit what it made durable, and of how many rows what was read before stayed (`keeps`). */
  committed(read: ReadResult, kept?: number): void;
  /** Told what people should know of the read. */
  note?(sentence: string): void;
  /** Told after every commit and answer. `total` is null where the source does not say how much there is. */
  progress(done: number, total: number | null): void;
}

/** What a read made durable. */
export interface ReadResult {
  /** Of the stream's own table, new or different. */
  readonly rows: number;
  /** Of its child tables. */
  readonly childRows: number;
  readonly quarantined: number;
  readonly bytes: number;
}

/** What a look needs. */
export interface LookContext extends Pick<ReadContext, 'partition' | 'fetch' | 'state'> {
  readonly warehouse: Pick<ReadContext['warehouse'], 'query'>;
}

/** Runs a SELECT over rows that are held, in words of every engine; values are named with `$`. */
export type HeldQuery = <R extends object = Record<string, unknown>>(
  sql: string,
  values: Readonly<Record<string, string>>,
) => Promise<R[]>;

/** What is to be known of rows before they are written. */
export interface ListContext extends Pick<ReadContext, 'partition' | 'fetch' | 'note'> {
  readonly warehouse: { readonly query: HeldQuery };
}

/** Refuses rows of another chain than the one of which rows are held. */
export interface SameChain {
  /** Told the rows from `first` on of pages of which some are not wanted: what lies below the checkpoint tells of the chain, too. */
  passed(stream: Stream, partition: Partition, rows: Rows, first: number): void;
  /** Why a partition may not be read whose rows do not tell of which chain they are: others of that chain were found to be of another one in this run. */
  refusal(stream: Stream, partition: Partition): FirnError | undefined;
  /** Asked before rows are written. @throws FirnError `source_shrank` */
  assert(stream: Stream, reading: ListContext, sets: readonly RowSet[]): Promise<void>;
}
