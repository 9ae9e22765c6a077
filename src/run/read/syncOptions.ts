import type { ErrorCode } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import type { Stream } from '../../core/stream/stream.ts';
import type { Clock } from '../../extract/clock.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { NetworkAsFarAsKnown, PlannedStream } from '../planStreams.ts';
import type { Fetches } from '../sources/drive.ts';
import type { NotReady } from '../sources/openSources.ts';
import type { ReadUntil } from './offeredBefore.ts';
import type { ReadContext, ReadResult, SameChain } from './partitionContext.ts';

/** The outcome of one partition. */
export interface PartitionResult extends ReadResult {
  readonly stream: string;
  readonly partition: string;
  /** The pipeline that reads it; absent where something other than new rows was read. */
  readonly pipeline?: string;
  readonly outcome: 'done' | 'not_offered' | 'failed' | 'stopped';
  readonly code?: ErrorCode;
  /** What people should know about what the source did not give. */
  readonly notes?: readonly string[];
  readonly message?: string;
  /** Positions between what was read and the source's head as it was seen, or keys that a lookup's budget left; absent where none are. */
  readonly behind?: number;
  /** HTTP requests sent: retries count, a batch of calls is one. */
  readonly requests: number;
  readonly seconds: number;
  /** When its read ended, RFC 3339: what came after it is news. */
  readonly endedAt?: string;
}

/** Told while partitions are read; the command line draws it, tests listen. */
export interface SyncListener {
  /** A partition waits for its turn. */
  planned?(stream: string, partition: string): void;
  started?(stream: string, partition: string): void;
  progress?(stream: string, partition: string, done: number, total: number | null): void;
  finished?(result: PartitionResult): void;
}

export interface SyncOptions extends NetworkAsFarAsKnown {
  readonly warehouse: Warehouse;
  readonly planned: readonly PlannedStream[];
  /** The way to each configured source. */
  readonly fetch: Fetches;
  /** For ages (of page tokens, of bounds), and for when reads end. */
  readonly clock?: Clock;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly notReady?: NotReady;
  readonly listener?: SyncListener;
  readonly log?: Log;
  /** Tells until when a partition was read, where the warehouse does not. */
  readonly readUntil?: ReadUntil;
  /** Whether the run may end before all is read. */
  readonly isLimited?: boolean;
  /** Partitions to read at once; 4 where it is not said. Requests are held back by the limiter of each source. */
  readonly atOnce?: number;
  /** 0 <= random < 1 */
  readonly random?: () => number;
  /** Default: judges by what the warehouse holds. */
  readonly sameChain?: SameChain;
  /** Reads one partition. Default: what is new in it. */
  readonly readStream?: (stream: Stream, context: ReadContext) => Promise<void>;
}
