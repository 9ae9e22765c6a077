import PQueue from 'p-queue';
import type { ErrorCode, FirnError } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import { createLookTurns } from '../../core/paging/lookTurns.ts';
import { dropRowSets } from '../../core/parse/rowSet.ts';
import { partitionName } from '../../core/partitionName.ts';
import type { Stream } from '../../core/stream/stream.ts';
import { createEnricher } from '../../decode/senders/enricher.ts';
import { type Clock, systemClock } from '../../extract/clock.ts';
import { realOutside } from '../../extract/http/outside.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import { openDateHeights } from '../../load/bookkeeping/dateHeights.ts';
import { readBegun } from '../../load/commit/begun.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { listPartitions, type NetworkAsFarAsKnown, type PlannedStream } from '../planStreams.ts';
import type { Fetches } from '../sources/drive.ts';
import type { NotReady } from '../sources/openSources.ts';
import { inTurn } from './inTurn.ts';
import type { ReadUntil } from './offeredBefore.ts';
import { openPartition, type PartitionRead, ranks } from './openPartition.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';
import { foundOf } from './readLookup.ts';
import { createSameChain, type SameChain } from './sameChain.ts';

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

const partitionsAtOnce = 4;

/** What DuckDB always has, and what it has more for each partition that could be read at once and is not. */
const leastMb = 64;
const mbOfEachFree = 4;

/**
 * What DuckDB may take while much is read, as `memory_limit`: the fewer are read at once, the fewer batches wait beside it in the process.
 * With more of it less is compressed twice, but the process shall stay below 512 MiB: 200,000 blocks with receipts and logs take 479 MiB with
 * this, 492 to 520 with 88 MB, 528 with 112 MB.
 *
 * @param partitions how many there are to read; 0 where that is not known
 */
export function syncMemory(partitions: number): string {
  const free = partitionsAtOnce - Math.min(partitionsAtOnce, partitions || partitionsAtOnce);
  return `${leastMb + free * mbOfEachFree}MB`;
}

/**
 * Reads every partition of the planned streams. A partition that fails does not stop the others; a full disk stops all,
 * since nothing can be committed any more. Before anything is written, every range that was read before is looked at: from a source
 * that has lost what was read from it, or is behind it, nothing is taken, not even snapshots. Lookups come last: the others bring their keys.
 *
 * Where the run may end before all is read, they take turns: to ask those that come first whether there is anything new may be all that it can do.
 */
export async function syncStreams(options: SyncOptions): Promise<PartitionResult[]> {
  const stop = linkedAbort(options.signal);
  const { signal } = stop;
  // What was read is made durable at once: the process may be killed before the answers under way come.
  signal.addEventListener('abort', () => void options.warehouse.commit(), { once: true });
  const results: PartitionResult[] = [];
  const enricher = createEnricher(options.log);
  try {
    const dates = await openDateHeights(options.warehouse);
    const begun = await readBegun(options.warehouse.query);
    const turnOn = createLookTurns();
    const sameChain = options.sameChain ?? createSameChain();
    const listed = options.planned.flatMap((planned) =>
      listPartitions(planned, options).map((one) =>
        openPartition(planned, one, { ...options, dates, begun, turnOn, enrich: enricher.enrich, sameChain, signal }),
      ),
    );
    const { isLimited, warehouse, readStream, random = realOutside.random } = options;
    const reads = isLimited ? await inTurn(warehouse, listed, readStream !== undefined, random) : listed;
    for (const { stream, key } of reads) options.listener?.planned?.(stream, key);
    const { now } = options.clock ?? systemClock;
    const finish = (read: PartitionResult) => {
      if (read.code === 'disk') stop.abort();
      const result = { ...read, endedAt: new Date(now()).toISOString() };
      results.push(result);
      options.listener?.finished?.(result);
    };
    const refusals = readStream ? new Map<string, FirnError>() : await lookAtSources(reads);
    const lacking = new Map<PartitionRead, PartitionResult>();
    await readInOrder(reads, options.atOnce, async (one) => {
      const result = await one.read(refusals.get(one.source));
      if (one.missed().length > 0) lacking.set(one, result);
      else finish(result);
    });
    // A transaction that is named for all chains is on one of them, which may have been read after the others.
    for (const [one, result] of lacking) {
      const isNews = results.some(({ stream, rows }) => stream === one.stream && rows > 0);
      const isElsewhere = isNews && (await foundOf(warehouse, one.stream, one.missed())).length > 0;
      finish(isElsewhere ? await one.read(refusals.get(one.source)) : result);
    }
  } finally {
    stop.unlink();
    dropRowSets();
    await enricher.close();
  }
  return results;
}

/** Looks at every partition once. Gives why nothing of a source may be taken, by its name. */
async function lookAtSources(reads: readonly PartitionRead[]): Promise<ReadonlyMap<string, FirnError>> {
  const refusals = new Map<string, FirnError>();
  const queue = new PQueue({ concurrency: partitionsAtOnce });
  const firsts = new Map(reads.toReversed().map((one) => [partitionName(one.stream, one.key), one]));
  for (const { source, look } of firsts.values()) {
    void queue.add(async () => {
      const refusal = await look();
      // One that lost what was read says more than one that is late.
      if (refusal && refusals.get(source)?.code !== 'source_shrank') refusals.set(source, refusal);
    });
  }
  await queue.onIdle();
  return refusals;
}

/**
 * Reads some at once, one rank after the other. Where several pipelines name a partition, each reads on from where the one before has ended: side by side,
 * one would undo the other.
 */
async function readInOrder(
  reads: readonly PartitionRead[],
  atOnce = partitionsAtOnce,
  read: (one: PartitionRead) => Promise<void>,
): Promise<void> {
  const before = new Map<string, Promise<void>>();
  for (const rank of ranks) {
    const queue = new PQueue({ concurrency: atOnce });
    for (const one of reads.filter((one) => one.rank === rank)) {
      const previous = before.get(partitionName(one.stream, one.key));
      const done = queue.add(async () => {
        await previous;
        await read(one);
      });
      before.set(partitionName(one.stream, one.key), done);
    }
    await queue.onIdle();
  }
}
