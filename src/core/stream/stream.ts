import type { z } from 'zod';
import type { Row, Value } from '../columns/columnType.ts';
import type { Files } from '../columns/layout.ts';
import type { Table } from '../columns/table.ts';
import type { DateBrackets } from '../heights/dateBracket.ts';
import type { Bound } from '../heights/findHeight.ts';
import type { RawValue } from '../json/rawValue.ts';
import type { Asking, Page, Reading } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import type { Rows } from '../rows/rows.ts';
import type { ChainOfRows } from './chainOfRows.ts';
import type { LooksBack } from './looksBack.ts';
import type { NetworkFacts } from './network.ts';
import type { Partition, Position } from './partition.ts';
import type { Records } from './records.ts';
import type { Source } from './source.ts';

/** What one run reads of a partition. */
export interface Window<At extends Position = Position> {
  /** Last durable position; null on the first run. */
  readonly position: At | null;
  /** Milliseconds since the epoch by the local clock; for ages of tokens only. */
  readonly now: number;
  /** What is known of the heights of dates on the partition's chain. */
  readonly brackets?: DateBrackets;
}

/** Says that everything yielded so far may be made durable together with this position. */
export interface Advance<At extends Position = Position> {
  readonly kind: 'advance';
  readonly position: At;
}

/** A sequential read: yields requests, is given pages, and says where the checkpoint may move. */
export type Pages<At extends Position = Position> = Generator<Request | Reading | Advance<At>, void, Page>;

/** A row from which a stream derives more, and where the rows of its children are added. */
export interface Deriving {
  value(column: string): Value;
  readonly children: Readonly<Record<string, Rows>>;
}

/** Further columns of a row, and what was wrong with it without losing the record: what was added to its children is then taken back. */
export interface Derived {
  readonly columns?: Row;
  readonly problems?: readonly string[];
}

/**
 * Members that lead from a record to the records of a child: `transactions`, or of every item of a list `receipts.logs`; several where each of
 * them is a list.
 */
export type ChildPath = string | readonly string[];

/** A table filled from inside the parent's records. */
export interface Child {
  readonly table: Table;
  /** Where its records lie inside the parent's; left out where `derive` makes the rows. */
  readonly of?: ChildPath;
  /** Column that holds the name of the list, where there are several. */
  readonly listed?: string;
  /** How rows of a parent that is read again are treated. `union`: answers show only part of the parent. */
  readonly write: 'replace' | 'union';
  readonly follows?: Follows;
}

/** What stays of a row that is read again where its source has less of it than before: nothing that was read of the same row is lost. */
export interface Keeps {
  /** Child whose rows say by `column` what came of others: of those that say `is`, it was read, and they stay where it is not now. */
  readonly told: string;
  readonly column: string;
  readonly is: string;
  /** What it says where the source failed to give it: later runs ask for that again, some of it each, and not for ever. */
  readonly again?: string;
  /** Child with what was read. The key of the other one says of which. */
  readonly with: string;
  /** Column of the stream's own table in which the row must be as it was: of another one nothing stays. */
  readonly sameBy: string;
}

/** Rows of one chain follow each other: their positions are consecutive, and each names the row before it. */
export interface Follows {
  /** Column that holds the position: a height or an index. */
  readonly position: string;
  /** Columns by which a row names itself and the row before it. */
  readonly link: { readonly id: string; readonly parent: string };
}

/** A column of a child that takes long to compute: it is filled on other threads while reading goes on. */
export interface Enrichment {
  readonly child: string;
  readonly column: string;
  /** Transient column that holds the bytes to compute from. */
  readonly from: string;
  /** `senders`: the sender of an EVM transaction, from its canonical bytes. */
  readonly by: 'senders';
}

export type Need = 'network' | 'evm';

/** A metric by its name and the intervals (hour, day, week, month) that it has. */
export interface ServedMetric {
  readonly name: string;
  readonly intervals: readonly string[];
}

interface StreamBase<Of extends Partition> {
  readonly source: Source;
  /** Short name; the stream is `<source>/<name>` and fills `raw.<source>_<name>`. */
  readonly name: string;
  readonly id: string;
  readonly description: string;
  /** What `firn.yaml` may say of this stream. */
  readonly parameters: z.ZodObject<z.ZodRawShape>;
  /** Every combination of the parameters, given what is known of the network. */
  partitions(parameters: never, network: NetworkFacts): readonly Of[];
  /** What must be known before its partitions are: of which network the source is, or the EVM chains that `blockchainIds` names. */
  readonly needs?: readonly Need[];
  readonly table: Table;
  readonly children: Readonly<Record<string, Child>>;
  /**
   * Member of a record in which all of its members stand but the lists, and those that are named behind it; a record that has none holds
   * them itself.
   */
  readonly lifts?: string | readonly string[];
  /** Made from a row: what its bytes contain. */
  derive?(row: Deriving, partition: Of, network: NetworkFacts): Derived;
  readonly enrichment?: Enrichment;
  readonly keeps?: Keeps;
  /** Columns whose changes are kept in `<table>_revisions` with the time of the answer. */
  readonly revisions?: Table;
  readonly files?: Files;
  /** Column with the time of what a row tells, where that is not `files.time`: it may be unknown, or no file is cut by it. */
  readonly time?: string;
  /** Column with the height of a row's block on the partition's chain: with the time beside it a row teaches at which heights dates begin. */
  readonly height?: string;
  readonly deprecated?: { readonly since: string; readonly use: string };
  /** The same stream, which may also be asked for the metrics that an extension declares. */
  withMetrics?(own: readonly ServedMetric[]): Stream;
  /** What one read finds out about its source, such as methods that it lacks; made anew for each read of a partition. */
  state?(): unknown;
  /**
   * What people should know after a read of what the source did not give.
   *
   * @param kept rows of the child `keeps.told` that stayed
   */
  notes?(partition: Of, state: unknown, kept: number): readonly string[];
  /** Method, path or name of the specification that the stream reads, for plan and the data dictionary. */
  readonly endpoint: string;
}

/** What a backfill reads of a partition: the rows that are not older than one bound, and older than the other; null for the newest there is. */
export interface Between {
  readonly from: Bound;
  readonly to: Bound | null;
}

/** Rows of a range: of the stream's own table, and of its children. */
export interface RangeRows {
  readonly own: Rows;
  readonly children: Readonly<Record<string, Rows>>;
}

/** By position: ranges are fetched ahead in parallel and committed in order. */
export interface RangeStream<Of extends Partition = Partition, State = unknown> extends StreamBase<Of> {
  readonly way: 'range';
  /** Column that holds the position (a height or an index); consecutive rows have consecutive positions. */
  readonly position: string;
  /** Positions asked for at once, and ranges in flight. */
  readonly size: number;
  readonly ahead: number;
  /** HTTP requests that so many positions take, where it is not one for each `size` of them; for plans. May ask what the source offers. */
  requestsFor?(partition: Of, positions: number): number | Asking<number>;
  /** Yields requests and returns the last position there is, or null when there is none yet. */
  head(partition: Of): Asking<number | null>;
  /** What people should know where there is none yet. */
  whereEmpty?(partition: Of): string | undefined;
  /** First position to read where there is no checkpoint. May ask, to find the height of a date. */
  first(partition: Of, head: number, brackets?: DateBrackets): Asking<number>;
  /** Last position to read, at most `head`, where the configuration bounds it. `next` is the first one that was not read yet. */
  last?(partition: Of, next: number, head: number, brackets?: DateBrackets): Asking<number>;
  /** Whether it asks for the head once more when it has come to it: others hold what came meanwhile, and are proven by its rows. */
  readonly readsOn?: true;
  /** Time of a position in Unix seconds, by which a backfill finds the positions of a day. Left out: days cannot be read again. */
  timeAt?(partition: Of, position: number): Asking<number>;
  /** The raw records of `from`..`to`, both inclusive, in order. */
  read(partition: Of, from: number, to: number, state: State): Asking<readonly RawValue[]>;
  /**
   * Whether rows that `read` took on trust belong together. Where they do not, the state must say so: the range is read once more, with
   * less trust.
   */
  agree?(rows: RangeRows, state: State): boolean;
  /**
   * Puts right, in rows that belong together, what a source says otherwise than their columns mean it.
   *
   * @param beginIn where those of a child begin that are new; left out where all are
   * @throws FirnError `contract` where rows of one table would have the same key
   */
  amend?(rows: RangeRows, state: State, beginIn?: (child: string) => number): void;
  /** Columns by which a row names itself and the row before it: rows of consecutive positions must be linked. */
  readonly link?: Follows['link'];
  /** Whether the source may lack positions for good: they are noted in `firn.gap` and passed over. Left out: it may not. */
  mayHaveGaps?(partition: Of): boolean;
  /** Whether less than all of each record is taken by these settings. Once all of it is, what was read before is read again. */
  takesPart?(partition: Of): boolean;
  /** Asks whether the source begins where the stream takes it. Throws FirnError `contract` with reason `late_begin` where it does not, and `begins` where it tells from where on it could. */
  checkBegin?(partition: Of, head: number): Asking<void>;
  /** Whether the source still holds the row that was read last (its bytes are hex, where they are at hand), before anything is read that follows it. */
  holds?(partition: Of, last: Row, state: State): Asking<boolean>;
}

/** Slice by slice, or newest first back to the checkpoint; pages are committed as they come, merged by key. */
export interface PagedStream<
  Of extends Partition = Partition,
  At extends Position = Position,
  Beside extends Position = Position,
  State = unknown,
> extends StreamBase<Of> {
  readonly way: 'slice' | 'newestFirst';
  pages(partition: Of, window: Window<At>, state: State): Pages<At>;
  /** Pages with the rows between two bounds, whatever was read before; `window` is that of this read. Left out: cannot be asked for. */
  between?(partition: Of, bounds: Between, window: Window<Beside>): Pages<Beside>;
  /** Its rows have times and no heights: only times bound them. */
  readonly byTime?: true;
  /** How a sync begins below its checkpoint where the parameter `lookback`, which the stream then has, asks for it. Needs a time. */
  readonly looksBack?: LooksBack<At>;
  /** Where it stands after a backfill, of which `done` says how far paging came. Left out: where it stood; newest first, from the lower floor of both on. */
  backfilled?(position: At | null, done: Beside, partition: Of): At | null;
  /** How its rows tell of which chain they are. Left out: a chain that was made anew is not noticed. */
  readonly chainOfRows?: ChainOfRows;
  readonly records: Records;
}

/** The whole list a run; history is kept by key and row hash. */
export interface SnapshotStream<Of extends Partition = Partition> extends StreamBase<Of> {
  readonly way: 'snapshot';
  pages(partition: Of): Generator<Request | Reading, void, Page>;
  readonly records: Records;
}

/** Each key once, from a query over the warehouse. */
export interface LookupStream<Of extends Partition = Partition> extends StreamBase<Of> {
  readonly way: 'lookup';
  /**
   * SELECT over the warehouse giving every key that matters, as one column `key`; `$name` stands for a partition value.
   * Keys looked up before are left out by the driver, and the partition's budget limits how many are asked for in a run.
   */
  keys(partition: Of): string;
  /** Its answer is about the key, unless it says otherwise. */
  request(key: string, partition: Of): Request;
  readonly records: Records;
}

/** Filled by a command of its own (`firn export`, `firn sign`), never by a sync. */
export interface ActionStream extends StreamBase<Partition> {
  readonly way: 'action';
}

/** One endpoint that fills one raw table and its child tables. */
export type Stream = RangeStream | PagedStream | SnapshotStream | LookupStream;

/** Everything that fills tables: what a sync reads, and what commands bring. */
export type Declared = Stream | ActionStream;

/** Every table that a stream or action fills: its own, its children's, its revisions', the course of what is volatile. */
export function tablesOf(catalogue: readonly Declared[]): Table[] {
  return catalogue.flatMap(({ table, children, revisions }) => [
    ...rowTables({ table, children }).flatMap((own) => [own, ...(own.volatile ? [own.volatile.daily] : [])]),
    ...(revisions ? [revisions] : []),
  ]);
}

/** The table of a stream, and those of its children. */
export const rowTables = ({ table, children }: Pick<Declared, 'table' | 'children'>): Table[] => [
  table,
  ...Object.values(children).map((child) => child.table),
];

/** The column with the time of what a stream's rows tell; undefined where it has none. */
export const timeOf = ({ time, files }: Pick<Declared, 'time' | 'files'>): string | undefined => time ?? files?.time;
