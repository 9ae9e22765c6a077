import type { KnownGap } from '../core/knownGap.ts';
import type { Unresolved } from '../core/unresolved.ts';
import type { MetricFacts } from './metricIndex.ts';

/** Times are milliseconds since the epoch, UTC; amounts are exact digits as text; counts are numbers. */

/** A chain of the warehouse and how far it has been read. */
export interface ReportedChain {
  readonly chainId: string;
  readonly name: string;
  readonly vm: string;
  readonly newestBlock: number | null;
  readonly newestTime: number | null;
}

/** A verdict of a series. */
interface Judged {
  readonly chainId: string;
  readonly metric: string;
  readonly interval: string;
  readonly verdict: string;
  readonly variant: string | null;
  readonly scale: string | null;
}

/** Buckets of one series that share a verdict. */
export interface VerdictCount extends Judged {
  readonly buckets: number;
  readonly firstBucket: number;
  readonly lastBucket: number;
}

/** One reconciled bucket, as an example of its verdict. */
export interface VerdictExample extends Judged, Omit<PlottedPoint, 'covered' | 'verdict'> {
  readonly difference: string | null;
  readonly fetchedAt: number | null;
  readonly note: string | null;
  readonly query: string;
}

/** One bucket of a series. */
export interface PlottedPoint {
  readonly bucket: number;
  readonly firstBlock: number | null;
  readonly lastBlock: number | null;
  /** Exact digits; null where there is no value. */
  readonly own: string | null;
  readonly covered: boolean;
  readonly served: string | null;
  /** Null where nothing was served or compared. */
  readonly verdict: string | null;
}

/** The points of a series, oldest first, as one text a column with commas between: small, and quick to read from a database. */
export interface SeriesColumns {
  /** Quarters of an hour since the bucket before; of the first since 1970. */
  readonly bucket: string;
  /** First block, counted from the last one of the buckets before; empty without blocks. */
  readonly firstBlock: string;
  /** Last block, counted from the first. */
  readonly lastBlock: string;
  /** Empty where there is no value, `-` where none is claimed. */
  readonly own: string;
  /** `=` where it has the digits of the recomputed one, empty where nothing is served, `?` where what is served is no number. */
  readonly served: string;
  readonly verdict: string;
}

/** One metric of one chain over time. */
export interface PlottedSeries {
  readonly chainId: string;
  readonly metric: string;
  readonly interval: string;
  /** Buckets of the whole series; the columns hold the newest of them. */
  readonly buckets: number;
  /** Factor that served values are multiplied by before they are drawn. */
  readonly scale: number;
  readonly columns: SeriesColumns;
}

export interface PartitionState {
  readonly partition: string;
  readonly position: string | null;
  readonly rows: number;
  /** Records that its loads quarantined, those read or accepted since among them. */
  readonly quarantined: number;
  readonly lastLoad: number | null;
  /** What became of it in the last run that read it: done, failed, stopped, not_offered; dropped where that was dropped since. */
  readonly outcome: string | null;
  readonly message: string | null;
  /** The kind of failure, as in the error of a command's JSON; null where it did not fail, or the run did not say. */
  readonly code: string | null;
  /** End of the last run that read it to the source's end. */
  readonly lastRead: number | null;
  /** Positions between what was read and the source's head when it was last seen, or keys that a lookup's budget left; null where nothing is. */
  readonly behind: number | null;
}

export interface StreamState {
  readonly stream: string;
  readonly rows: number;
  /** Records in quarantine, neither read since nor accepted. */
  readonly quarantined: number;
  /** Stretches of positions that are known to be missing: the source lacks them, or their records were accepted. */
  readonly knownGaps: number;
  readonly lastLoad: number | null;
  /** When all of it that the last run asked for, and the source offers, had been read to the source's end; null where some of it never was. */
  readonly lastRead: number | null;
  /** Time of the newest row, by the source's own clock; null where rows have no time of their own, as in snapshots. */
  readonly newestRow: number | null;
  readonly partitions: readonly PartitionState[];
  /** Partitions that failed in the last run of it and are not among these. */
  readonly unnamedFailures: number;
}

/** What is held of one day of a chain, best first. */
export const coverageLevels = ['traces', 'receipts', 'blocks', 'holes'] as const;
export type CoverageLevel = (typeof coverageLevels)[number];

export interface CoverageDay {
  readonly chainId: string;
  readonly day: number;
  readonly level: CoverageLevel;
  /** No block lies after this day yet. */
  readonly open: boolean;
  readonly blocks: number;
  readonly transactions: number;
}

export interface RunFacts {
  readonly runId: string;
  readonly command: string;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly exitCode: number | null;
  readonly rows: number;
  readonly requests: number;
  readonly problems: readonly string[];
  /** sync, build, reconcile, publish: its phases; empty where it does not say. */
  readonly phases: readonly string[];
  /** Pipelines it read, and whether it read all that was new. */
  readonly pipelines: readonly string[];
  readonly isWhole: boolean;
  /** Whether that was everything in the configuration. */
  readonly isEverything: boolean;
  /** Whether it made what it read visible. */
  readonly isPublished: boolean;
  /** Whether it found the warehouse in use and gave up. */
  readonly isLockedOut: boolean;
  /** Whether it goes on, or waits for its turn; if not, a run without an end was killed. */
  readonly isGoing: boolean;
}

/** How much one source was asked in the last run that read. */
export interface SourceUse {
  readonly source: string;
  readonly requests: number;
  readonly retries: number;
  readonly waitedMs: number;
  readonly bytes: number;
  readonly computeUnits: number;
}

export interface QuotaDay {
  readonly source: string;
  readonly day: number;
  readonly units: number;
}

export interface SchemaChange {
  readonly stream: string;
  readonly member: string;
  readonly example: string;
  readonly seenAt: number;
}

export interface AuditState {
  readonly name: string;
  readonly failedRows: number;
  readonly checkedAt: number;
  /** Some of the rows, or why it could not look. */
  readonly example: string | null;
  readonly couldNotLook: boolean;
}

/** How far a served series is behind the chain. */
export interface ServedFreshness {
  readonly chainId: string;
  readonly metric: string;
  readonly interval: string;
  readonly newestBucket: number | null;
  readonly lagSeconds: number | null;
  readonly revisedBuckets: number;
  /** How long after their end buckets still changed; null where none was seen to change. */
  readonly settledAfterSeconds: number | null;
}

/** What a process is doing with the warehouse at this moment. */
export interface RunningNow {
  readonly runId: string;
  readonly command: string;
  readonly phase: string;
  readonly pid: number;
  readonly host?: string | undefined;
  /** When the phase began, and the run. */
  readonly since: string;
  readonly startedAt?: string | undefined;
  /** Partitions that were read, and how many there are. */
  readonly partitions?: { readonly done: number; readonly total: number } | undefined;
  readonly rows?: number | undefined;
  /** Partitions that are being read, each as far as it is. */
  readonly reading?:
    | readonly {
        readonly stream: string;
        readonly partition: string;
        readonly done: number;
        /** Null where the source does not say how much there is. */
        readonly total: number | null;
        /** At the pace so far. */
        readonly remainingMs: number | null;
      }[]
    | undefined;
}

/** Everything `status` tells: what is held, how fresh it is, and what became of the last runs. */
export interface StatusData {
  readonly generatedAt: number;
  readonly firnVersion: string;
  readonly network: { readonly name: string; readonly id: number | null } | null;
  readonly published: {
    readonly version: number;
    readonly at: number;
    readonly files: number;
    readonly rows: number;
    readonly bytes: number;
  } | null;
  readonly running: RunningNow | null;
  readonly chains: readonly ReportedChain[];
  readonly verdicts: readonly VerdictCount[];
  readonly streams: readonly StreamState[];
  readonly runs: readonly RunFacts[];
  /** A sentence: that the state was lost or is an older copy, that no run can begin, or why it is not known what became of runs since the last publish; null where neither is so. */
  readonly unreadable: string | null;
  readonly audits: readonly AuditState[];
  readonly quota: readonly QuotaDay[];
  /** Compute units a day that the configuration allows each source. */
  readonly dailyQuota: Readonly<Record<string, number>>;
  readonly sources: readonly SourceUse[];
  /** CSV files of the folder `refs` whose tables do not hold what the files say, and why. */
  readonly unloaded: readonly { readonly file: string; readonly problem: string }[];
  /** Records in quarantine and relations held back, published or not. */
  readonly unresolved: Unresolved;
  /** When a run last published; null where none did. */
  readonly lastPublishedAt: number | null;
  /** When a worker of a cluster last read anything; null where none did, and left out on one machine, where runs read. */
  readonly workersHeardAt?: number | null;
  /** Pipelines of the configuration. */
  readonly pipelines: readonly string[];
}

/** Everything the report shows. */
export interface ReportData extends StatusData {
  readonly examples: readonly VerdictExample[];
  readonly series: readonly PlottedSeries[];
  /** Chains with metrics whose series were not read. */
  readonly chainsLeft: number;
  /** Names that the data service gives to chains, whether blocks of them are held or not. */
  readonly servedNames: readonly { readonly chainId: string; readonly name: string }[];
  /** What the headers of the metrics' files say, in their order. */
  readonly metrics: readonly MetricFacts[];
  readonly coverage: readonly CoverageDay[];
  readonly gaps: readonly KnownGap[];
  /** Members that no schema knows, of which `schemaChanges` has the newest. */
  readonly unknownMembers: number;
  readonly schemaChanges: readonly SchemaChange[];
  readonly freshness: readonly ServedFreshness[];
  /** Days on which the served cumulativeTxCount does not grow by the served txCount. */
  readonly inconsistentDays: number;
}
