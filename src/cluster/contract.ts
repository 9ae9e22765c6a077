import type { Column } from '../core/columns/table.ts';
import type { ErrorCode } from '../core/firnError.ts';
import type { Position } from '../core/stream/partition.ts';
import type { Rendering } from './render/renderForTrino.ts';

/*
 * What the parts of a cluster know of each other. The ledger (PostgreSQL) says what there is, the stage (a bucket) holds it, and the
 * engine makes tables of it: the lake is a projection of the ledger that can be repeated, so no two of them need to commit together.
 */

/** Rows of one table in one batch: a Parquet file that never changes. */
export interface StagedFile {
  /** `raw.<source>_<name>` */
  readonly table: string;
  /** `s3://bucket/prefix/<source>_<name>/<batch>.parquet`, or the same under `file:///`. */
  readonly uri: string;
  readonly rows: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  /** Columns of its rows that the table has, too, by the firn that wrote it; left out where that is not known, or nobody asks. */
  readonly columns?: readonly string[] | undefined;
}

/** Where batches lie: a bucket, or a folder that all machines see. */
export interface Stage {
  /** What every URI begins with, with a slash at its end. */
  readonly root: string;
  /**
   * Takes the Parquet file of a batch. A name is given once: the same file again is taken as there, another one is refused.
   *
   * @param rows how many rows it holds
   * @throws FirnError `unavailable` where the bucket does not answer · `disk` · `contract` where another file has the name
   */
  write(table: string, batch: number, file: string, rows: number): Promise<StagedFile>;
  /**
   * Copies a file of the stage to this machine, and checks its hash, where that is known.
   *
   * @throws FirnError `unavailable` where it cannot be read · `contract` where it is not what was put there
   */
  fetch(file: Pick<StagedFile, 'uri'> & { readonly sha256?: string | undefined }, path: string): Promise<void>;
  /** Removes files; those that are gone already are no error. */
  remove(uris: readonly string[]): Promise<void>;
  /** Files that are there, with the time of their writing in milliseconds since the epoch: what the ledger does not know of is an orphan. */
  list(): AsyncIterable<{ readonly uri: string; readonly writtenAt: number }>;
  /** A small text beside the batches, such as the warehouse's id; undefined where there is none. */
  read(name: string): Promise<string | undefined>;
  /** Writes such a text unless one is there. Gives what is there then. */
  claim(name: string, text: string): Promise<string>;
}

/** Files of one table that are to be made part of it, of one batch each. */
export interface StagedBatch extends StagedFile {
  /** Ids only grow, and those of one partition in the order of its commits. It is the column `firn_batch`, and `_load_id` too. */
  readonly id: number;
}

/** Which partition is meant: the id of its stream, and its key. */
export interface PartitionName {
  readonly stream: string;
  readonly partition: string;
}

/** What one worker reads at a time: a partition, or a stretch of positions of one. */
export interface Lease extends PartitionName {
  readonly part: number;
  readonly owner: string;
  /** Grows with every lease of the part: what an earlier holder sends is refused. */
  readonly epoch: number;
  /** The durable position, null where nothing was read. */
  readonly cursor: Position | null;
  /** Positions to read, both included; left out where the partition is read as a whole, or divided. */
  readonly range?: { readonly first: number; readonly last: number } | undefined;
  /** Where these positions were read before, and their rows are to take the place of those: a part was taken of some of them, or a backfill asks for their days. */
  readonly again?: 'whole' | 'days' | undefined;
  /** From where on the partition was read, as the configuration or a backfill said it; null where that is not known. */
  readonly begun: string | null;
  /** For a backfill: its name, and where the partition itself stands. */
  readonly beside?: { readonly name: string; readonly main: Position | null } | undefined;
  /** The row that was read last, as far as the next one must follow it. */
  readonly tip: Note | null;
  /** Rows that the read compares with, of streams that keep a history: those that are current. A file a table, none where there are none. */
  readonly memory: readonly StagedFile[];
}

/** Positions that become parts, both ends included, and how many of them each has. */
export interface Division {
  readonly first: number;
  readonly last: number;
  readonly size: number;
}

/** What became of a read. */
export interface ReadOutcome {
  readonly outcome: 'done' | 'not_offered' | 'failed' | 'stopped';
  readonly code?: ErrorCode | undefined;
  /** Keys that a lookup's budget left. */
  readonly behind?: number | undefined;
}

/** What becomes durable in one transaction. */
export interface LedgerCommit {
  /** The batch, whose id `nextBatch` gave. */
  readonly id: number;
  /** Must be the part's cursor as it stands, or nothing is committed. */
  readonly from: Position | null;
  readonly to: Position | null;
  readonly files: readonly StagedFile[];
  /** Rows of firn's own tables that belong to it, by the columns that one machine gives them. */
  readonly notes: LoadNotes;
  /** Records of the partition that waited in quarantine and are among the rows now, by their keys, or hashes where they have none. */
  readonly resolved?: readonly string[] | undefined;
  /** What the next read is to compare with; left out where it stays as it was. */
  readonly memory?: readonly StagedFile[] | undefined;
  /** Of streams by position: what the first row names as the one before it, the last row's own name, and that row as `Lease.tip` has it. */
  readonly ends?: { readonly parent: string | null; readonly id: string | null; readonly tip: Note } | undefined;
}

/** Rows of `firn.load`, `firn.quarantine`, `firn.schema_change`, `firn.gap`, `firn.lookup`, by the names of their columns. Integers are text or numbers. */
export interface LoadNotes {
  readonly load: readonly Note[];
  readonly quarantine: readonly Note[];
  readonly schema_change: readonly Note[];
  readonly gap: readonly Note[];
  readonly lookup: readonly Note[];
}

export type Note = Readonly<Record<string, string | number | boolean | null>>;

/** What was published: a snapshot of every table, by which readers see one consistent state. */
export interface PublishedVersion {
  readonly id: number;
  /** Table to snapshot id, as the engine names them. */
  readonly snapshots: Readonly<Record<string, string>>;
  /** ISO 8601 */
  readonly publishedAt: string;
}

/** Who has read what, kept in one database. Its clock is the only one that counts. */
export interface Ledger {
  /** The id that bucket, catalog and control must share. */
  readonly warehouse: string;
  /** Hands out a part that is due and that nobody holds, of one partition after the other; null where there is none now. */
  lease(filter: LeaseFilter): Promise<Lease | null>;
  /** Hands out a partition as a whole, due or not, or what is read beside it; null where somebody holds it, or nobody enlisted it. */
  leaseWhole(of: WholeLease): Promise<Lease | null>;
  /** Keeps a lease for so many milliseconds from now. */
  renew(lease: Lease, ms: number): Promise<'ok' | 'fenced'>;
  /** Makes partitions known; those that are stay as they are. */
  enlist(partitions: readonly PartitionName[]): Promise<void>;
  /** Makes parts of positions up to `last` that are in none yet; they begin at `first` where nothing was divided before. */
  divide(lease: Lease, positions: Division): Promise<'ok' | 'fenced'>;
  /** Notes that from a position on only a part is taken of what is there. */
  takeInPart(lease: Lease, from: number): Promise<void>;
  /**
   * Where a part was taken of positions, and no stretch of the partition is open, makes parts of `size` positions each of all from there on, to be read
   * again. They are handed out once the lake has what was read before.
   */
  divideAgain(lease: Lease, size: number): Promise<void>;
  /** Takes back a part that is to be read again: what is left of it stays as it was read, in part. */
  leaveInPart(lease: Lease): Promise<void>;
  /** Whether anything was read again of a partition's stream, by the table that has it. */
  wasReadAgain(table: string): Promise<boolean>;
  /**
   * Gives a lease back, with what became of the read where there was one. A stretch of positions that is read to its end is over, and joined to what lies before it; all else is handed out again
   * after `dueInMs`.
   *
   * @throws FirnError `contract` where what it is to be joined to is another chain
   */
  release(
    lease: Lease,
    options: {
      readonly dueInMs: number;
      readonly problem?: string | undefined;
      readonly result?: ReadOutcome | undefined;
      /** Whether the source may lack positions for good: what does not follow is noted then, and passed over. */
      readonly passesOver?: boolean | undefined;
    },
  ): Promise<'ok' | 'fenced'>;
  /**
   * What was handed out of a partition by position: the lowest position that the lake may lack, or that is in quarantine (null where nothing was handed
   * out), and how many parts below what was joined are not read to their end.
   */
  handedOut(of: PartitionName): Promise<{ readonly lowest: number | null; readonly open: number }>;
  /**
   * Makes parts of positions that a backfill asks for, which workers read as any others: below what was read, or of what was. Those that are read again are
   * handed out once the lake has what was read before.
   */
  handOut(lease: Lease, positions: Division, again?: Lease['again']): Promise<'ok' | 'fenced'>;
  /** Notes from where on a partition is read. */
  begin(lease: Lease, from: string): Promise<void>;
  /**
   * Ends what is read beside a partition: its part goes, and the partition's own position becomes what came of it.
   *
   * @param from from where on the partition was read by now, if that is news
   */
  endBeside(lease: Lease, own: (main: Position | null) => Position | null, from?: string): Promise<'ok' | 'fenced'>;
  /**
   * Where a partition stands, by its joined positions where it is read by position, and the row before. `partFrom` is the first position of which
   * only a part was taken, and that was not read again since.
   */
  standsAt(of: PartitionName): Promise<Pick<Lease, 'cursor' | 'tip'> & { readonly partFrom: number | null }>;
  /** Until when something was read of a partition, as `2026-02-03 04:05` in UTC; null for what was never read. */
  readUntil(of: PartitionName): Promise<string | null>;
  /** Whether anything was read of a partition. */
  wasRead(of: PartitionName): Promise<boolean>;
  /** Those of some loads that the partition made. */
  loadsOf(of: PartitionName, ids: readonly number[]): Promise<number[]>;
  /** Records of a partition that wait in quarantine, as `firn.quarantine` of one machine has them, but without what they say, which may be long. */
  waiting(of: PartitionName): Promise<Note[]>;
  /** What records in quarantine say, by their ids. */
  records(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, string>>;
  /** Those that wait and are replayed at once, with what they say: the next ones behind an id. */
  toReplay(of: PartitionName, after: number): Promise<Note[]>;
  /** Members of a stream's records that are no columns and were noted, as rows of `firn.schema_change` of no load. */
  knownMembers(of: Pick<Lease, 'stream'>): Promise<Note[]>;
  /** Rows of `firn.dropped` that tell of some tables: what went because of its age on the machine from which a warehouse was moved here. */
  dropped(tables: readonly string[]): Promise<Note[]>;
  /** The newest load of a partition that moved its cursor; null where none did. */
  newestLoad(of: PartitionName): Promise<number | null>;
  /** What is to be known of the keys that a lookup asked for: those about which there was nothing the first time, and the one that was found last. */
  lookedUp(of: PartitionName): Promise<Note[]>;
  /** Those of the keys that a lookup has not asked for yet, or once and found nothing. */
  unasked(of: PartitionName, keys: readonly string[]): Promise<string[]>;
  /** Where other partitions found any of the keys, as long as this one found nothing at all. */
  foundElsewhere(of: PartitionName, keys: readonly string[]): Promise<Note[]>;
  /** Any of the keys that were asked for less often than so many times, with how often; none where any worker asked for one within so many milliseconds. */
  toAskAgain(
    of: PartitionName,
    keys: readonly string[],
    limits: { readonly most: number; readonly runs: number; readonly ms: number },
  ): Promise<{ readonly key: string; readonly asked: string | null }[]>;
  nextBatch(): Promise<number>;
  /** All or nothing. `fenced`: the lease is another's, or the cursor moved; nothing of it is there. */
  commit(lease: Lease, commit: LedgerCommit): Promise<'ok' | 'fenced'>;
  /** Files of a table that the engine has not applied, in the order of their ids. */
  pending(table: string, limit: number): Promise<StagedBatch[]>;
  /** The newest of these files that some partitions of a stream brought. */
  newestPending(of: {
    readonly table: string;
    readonly stream: string;
    readonly partitions: readonly string[];
  }): Promise<StagedBatch | undefined>;
  /** Tables that have any: of so many bytes together, or one that has waited for so many milliseconds, where that is asked. */
  pendingTables(due?: { readonly bytes: number; readonly ms: number }): Promise<string[]>;
  /** Notes that the engine has applied the table's files of these batches. Repeating it changes nothing. */
  applied(table: string, ids: readonly number[]): Promise<void>;
  /**
   * Runs work unless another process runs work of this name; undefined then. It has a lease that is renewed: of a process that stands still
   * another one takes over, and both go on. Applying is safe without a lease; other work asks, before each change, whether it still holds.
   *
   * @param work is given what renews the lease, and throws FirnError `locked` once another process has it
   */
  alone<T>(name: string, work: (assertHeld: () => Promise<void>) => Promise<T>, ms?: number): Promise<T | undefined>;
  /** Notes a version; readers see it from now on. */
  publish(snapshots: PublishedVersion['snapshots']): Promise<PublishedVersion>;
  /** The newest version. */
  version(): Promise<PublishedVersion | undefined>;
  close(): Promise<void>;
}

export interface LeaseFilter {
  readonly owner: string;
  /** How long it holds without being renewed, in milliseconds. */
  readonly ms: number;
  /** Leaves out what was looked at within so many milliseconds, whatever is due: each look would be followed by the next one. Stretches are none. */
  readonly unlookedForMs?: number | undefined;
  /** Partitions that the worker can read. */
  readonly partitions: readonly (PartitionName & {
    /**
     * Whether it is read when the others are and what they brought is applied: lookups, whose keys that is. After ten minutes it is
     * read all the same.
     */
    readonly isLate?: boolean | undefined;
  })[];
}

/** A request for a whole partition. */
export interface WholeLease extends PartitionName, Pick<Lease, 'owner'> {
  /** Name of the backfill; omitted for the partition itself. */
  readonly beside?: string | undefined;
  /** How long it holds without being renewed, in milliseconds. */
  readonly ms: number;
}

/** A table as the engine makes it: its columns, then `firn_batch BIGINT` and `firn_row BIGINT`, which tell every row apart. */
export interface LakeTable {
  /** `raw.<source>_<name>` */
  readonly name: string;
  readonly columns: readonly Column[];
  /**
   * How rows of a newer batch take the place of older ones: those that are equal in these columns. Left out where every row is read once (streams
   * by position). Readers see the newest only.
   */
  readonly replacedBy?: readonly string[] | undefined;
  /** The table whose newest rows decide, where that is not the table itself: children go with the batch of their parent, also where none came. */
  readonly parent?: LakeTable | undefined;
  /**
   * Of streams by position: the table of rows that were read again, in which newer ones replace older ones. Positions that its parent has, or it where it
   * has none, count from there alone. It is made when something is read again.
   */
  readonly again?: LakeTable | undefined;
}

/** Runs SQL over tables that may be larger than any machine. Relations are named `raw.node_evm_blocks`; in SQL they are called as `name` says. */
export interface Engine {
  /** How its SQL says what models and audits say otherwise. */
  readonly words: Pick<Rendering, 'macros' | 'spellings'>;
  /** How SQL calls a relation. */
  name(relation: string): string;
  /** How SQL calls a table as it was when a snapshot was taken. */
  asOf(relation: string, snapshot: string): string;
  /** How SQL reads a table that nothing was applied to yet: its columns, and no row. */
  empty(table: LakeTable): string;
  /** Marks the tables with the id of a warehouse, unless they are marked. Gives the mark. */
  claim(warehouse: string): Promise<string>;
  /** Makes a table that is missing, and adds columns that it lacks. */
  ensureTable(table: LakeTable): Promise<void>;
  /**
   * Makes files part of a table. Of a batch that was applied before nothing is done; of two that apply it at once one copy stays; where it
   * fails nothing of it is there. What is not known (the answer was lost) is asked again.
   *
   * @returns rows that were new
   */
  apply(table: string, batches: readonly StagedBatch[]): Promise<{ readonly inserted: number }>;
  /** Makes a table hold just the rows of files, in one commit; none for no file. */
  replace(table: LakeTable, files: readonly StagedFile[]): Promise<void>;
  /** Takes away a table that `replace` made, and what it was filled through. One that is not there is no error. */
  drop(table: string): Promise<void>;
  /** Builds a table anew from a SELECT, in one commit. */
  build(model: string, sql: string): Promise<void>;
  /** Runs a statement that changes a table, and does the same if it is run twice. */
  run(sql: string): Promise<void>;
  /**
   * Ends statements that change models, or what readers see, and still run: those of a process that was killed or stands still, whose work another one
   * takes up. They could commit after what that one builds.
   *
   * @returns how many
   */
  endChanges(): Promise<number>;
  /**
   * The same engine, which asks before each statement that `endChanges` would end, also where it sends one again: by then another process may have taken
   * over, and what it built is newer.
   *
   * @param assertHeld throws then
   */
  held(assertHeld: () => Promise<void>): Engine;
  /** Makes readers see a SELECT under a name. */
  show(view: string, sql: string): Promise<void>;
  /** Of the views whose names begin so, a hash of the SELECT that each shows, as `hashOfView` has it; those of which it is not known are left out. */
  shown(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** The newest snapshot of each table that is there, as `asOf` takes it. */
  snapshots(tables: readonly string[]): Promise<Record<string, string>>;
  /** Rows as objects: integers above 2^53 and decimals lose no digit. */
  query<R extends object = Record<string, unknown>>(sql: string): Promise<R[]>;
  /**
   * Writes the rows of a SELECT into the stage, as Parquet files below a folder of their own.
   *
   * @returns what their URIs begin with
   */
  unload(name: string, select: string): Promise<string>;
  close(): Promise<void>;
}
