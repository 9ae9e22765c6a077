import PQueue from 'p-queue';
import { type ErrorCode, FirnError } from '../../core/firnError.ts';
import { createLookTurns, type LookTurn } from '../../core/paging/lookTurns.ts';
import { problemOf } from '../../core/problemOf.ts';
import type { Stream } from '../../core/stream.ts';
import { type Clock, systemClock } from '../../extract/clock.ts';
import type { Log } from '../../extract/http.ts';
import { readCheckpoint } from '../../load/checkpoints.ts';
import { type DateHeights, openDateHeights } from '../../load/dateHeights.ts';
import type { Warehouse } from '../../load/warehouse.ts';
import { type ListedPartition, listPartitions, type NetworkAsFarAsKnown, type PlannedStream } from '../planStreams.ts';
import type { Fetch, Fetches } from '../sources/fetch.ts';
import type { NotReady } from '../sources/openSources.ts';
import { createEnricher } from './enricher.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';
import { readLookup } from './readLookup.ts';
import { readPaged } from './readPages.ts';
import { lookAtRange, type RangeLook, readRange } from './readRange.ts';
import { readSnapshot } from './readSnapshot.ts';

/** What became of one partition. */
export interface PartitionResult extends ReadResult {
  readonly stream: string;
  readonly partition: string;
  /** The pipeline that reads it; absent where something else was read of it than what is new. */
  readonly pipeline?: string;
  readonly outcome: 'done' | 'not_offered' | 'failed' | 'stopped';
  readonly code?: ErrorCode;
  /** What a reader should know of what the source did not give. */
  readonly notes?: readonly string[];
  readonly message?: string;
  /** Positions between what was read and the source's head as it was seen; absent where none are left. */
  readonly behind?: number;
  /** HTTP requests sent: retries count, a batch of calls is one. */
  readonly requests: number;
  readonly seconds: number;
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
  /** For ages of page tokens. */
  readonly clock?: Clock;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly notReady?: NotReady;
  readonly listener?: SyncListener;
  readonly log?: Log;
  /** Reads one partition; what is new of it where this is left out. */
  readonly readStream?: (stream: Stream, context: ReadContext) => Promise<void>;
}

/** Partitions read at once; requests are held back by the limiter of each source. */
const partitionsAtOnce = 4;

/**
 * Reads every partition of the planned streams. A partition that fails does not stop the others; a full disk stops all,
 * since nothing can be committed any more. Before anything is written every range that was read before is looked at: of a source
 * that no longer holds what was read from it nothing is taken, snapshots neither. Lookups come last: their keys are what the others brought.
 */
export async function syncStreams(options: SyncOptions): Promise<PartitionResult[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  // What was read stays, however long the answers under way take, and should the process be killed meanwhile.
  signal.addEventListener('abort', () => void options.warehouse.commit(), { once: true });
  const results: PartitionResult[] = [];
  const enricher = createEnricher(options.log);
  const dates = await openDateHeights(options.warehouse);
  const turnOn = createLookTurns();
  const reads = options.planned.flatMap((planned) =>
    listPartitions(planned, options).map((listed) =>
      openPartition(planned, listed, { ...options, dates, turnOn, enrich: enricher.enrich, signal }),
    ),
  );
  for (const { stream, key } of reads) options.listener?.planned?.(stream, key);
  const finish = (result: PartitionResult) => {
    if (result.code === 'disk') stop.abort();
    results.push(result);
    options.listener?.finished?.(result);
  };
  try {
    const refusals = new Map<string, FirnError>();
    const looks = new PQueue({ concurrency: partitionsAtOnce });
    for (const { source, look } of options.readStream ? [] : reads) {
      void looks.add(async () => {
        const refusal = await look();
        if (refusal && !refusals.has(source)) refusals.set(source, refusal);
      });
    }
    await looks.onIdle();
    for (const late of [false, true]) {
      const queue = new PQueue({ concurrency: partitionsAtOnce });
      for (const { isLate, source, read } of reads) {
        if (isLate === late) void queue.add(async () => finish(await read(refusals.get(source))));
      }
      await queue.onIdle();
    }
  } finally {
    await enricher.close();
  }
  return results;
}

/** One partition on its way through a run. */
interface PartitionRead {
  readonly stream: string;
  readonly key: string;
  readonly source: string;
  /** Whether it is read when the others are. */
  readonly isLate: boolean;
  /** Looks at a range that was read before. Gives why the source may not be read, where it is not the one it was. */
  look(): Promise<FirnError | undefined>;
  /** @param refusal why nothing of the source is to be taken */
  read(refusal: FirnError | undefined): Promise<PartitionResult>;
}

type PartitionOptions = SyncOptions &
  Pick<ReadContext, 'enrich'> & { readonly dates: DateHeights; readonly turnOn: (chain: string) => LookTurn };

function openPartition(
  { stream, pipeline }: PlannedStream,
  { key, partition, problem }: ListedPartition,
  options: PartitionOptions,
): PartitionRead {
  const { warehouse, network, clock = systemClock, runId, enrich, signal } = options;
  let seconds = 0;
  let requests = 0;
  let lastPath = '';
  let told = 0;
  const source = options.fetch[stream.source.name];
  // What was committed before an error stays, and is told.
  let read: ReadResult = { rows: 0, childRows: 0, quarantined: 0, bytes: 0 };
  let behind = 0;
  let look: RangeLook | undefined;
  const state = stream.state?.();
  let failure: { readonly error: unknown } | undefined;
  if (problem !== undefined) failure = { error: problem };
  const failed = () => failure?.error;
  const result = (outcome: PartitionResult['outcome'], error?: unknown): PartitionResult => ({
    stream: stream.id,
    partition: key,
    ...(!options.readStream && { pipeline }),
    ...read,
    outcome,
    ...(behind > 0 && { behind }),
    requests,
    seconds,
    ...(error !== undefined && problemOf(error)),
  });
  const chain = partition?.values['chain_id'] ?? stream.id;
  const turn = options.turnOn(chain);
  const context = (of: NonNullable<typeof partition>, ask: Fetch): ReadContext => ({
    warehouse,
    partition: of,
    network,
    state,
    now: clock.now,
    brackets: options.dates.of(chain),
    seen: (rows, first) => options.dates.note(chain, stream.table, rows, first),
    fetch: async (request) => {
      await turn.before(request);
      lastPath = request.path;
      return ask(request, () => {
        requests++;
      });
    },
    takeRequests: () => {
      const taken = requests - told;
      told = requests;
      return taken;
    },
    runId,
    enrich,
    signal,
    look,
    committed: ({ rows, childRows, quarantined, bytes }) => {
      read = {
        rows: read.rows + rows,
        childRows: read.childRows + childRows,
        quarantined: read.quarantined + quarantined,
        bytes: read.bytes + bytes,
      };
    },
    progress: (done, total) => {
      behind = (total ?? done) - done;
      options.listener?.progress?.(stream.id, key, done, total);
    },
  });
  /** Runs work, and keeps why it failed. A source that is not ready has not lost what it does not have yet. */
  const attempt = async (work: () => Promise<unknown>) => {
    const begun = performance.now();
    try {
      await work();
    } catch (error) {
      const meant = isFirn(error) ? await options.notReady?.(stream.source, lastPath, error) : undefined;
      failure = { error: meant ?? error };
    } finally {
      turn.end();
      // What cannot be kept (the disk is full) is found again.
      await options.dates.save().catch(() => {});
      seconds += (performance.now() - begun) / 1000;
    }
  };
  return {
    stream: stream.id,
    key,
    source: stream.source.name,
    isLate: stream.way === 'lookup',
    async look() {
      if (stream.way !== 'range' || !source || !partition || failure || signal.aborted) return undefined;
      await attempt(async () => {
        const saved = await readCheckpoint(warehouse, stream.id, key);
        if (saved !== null) look = await lookAtRange(stream, context(partition, source));
      });
      const error = failed();
      return isFirn(error) && error.code === 'source_shrank' ? error : undefined;
    },
    async read(refusal) {
      if (signal.aborted) return result('stopped');
      if (!failure && refusal) failure = { error: notTaken(stream, refusal) };
      if (!failure && !source)
        failure = {
          error: new FirnError('config', `The source ${stream.source.name} of ${stream.id} is not configured.`),
        };
      if (!failure && source && partition) {
        options.listener?.started?.(stream.id, key);
        const readOnce = () => (options.readStream ?? readNew)(stream, context(partition, source));
        await attempt(async () => {
          try {
            await readOnce();
          } catch (error) {
            if (!isFirn(error) || error.code !== 'rolled_back') throw error;
            // What it had written went with a batch that failed: it goes on from what is durable, and nothing takes that back again.
            look = undefined;
            await readOnce();
          }
        });
      }
      if (!failure) {
        const notes = partition ? (stream.notes?.(partition, state) ?? []) : [];
        return { ...result(signal.aborted ? 'stopped' : 'done'), ...(notes.length > 0 && { notes }) };
      }
      const { code } = problemOf(failure.error);
      if (code === 'interrupted') return result('stopped');
      return result(code === 'not_offered' ? 'not_offered' : 'failed', failure.error);
    },
  };
}

/** The error of a partition whose source is not the one that it was. */
const notTaken = ({ source }: Stream, refusal: FirnError) =>
  new FirnError('source_shrank', `Nothing of the source ${source.name} was taken, since of it ${refusal.message}`);

const isFirn = (error: unknown): error is FirnError => error instanceof FirnError;

function readNew(stream: Stream, context: ReadContext): Promise<void> {
  switch (stream.way) {
    case 'range':
      return readRange(stream, context);
    case 'snapshot':
      return readSnapshot(stream, context);
    case 'lookup':
      return readLookup(stream, context);
    default:
      return readPaged(stream, context);
  }
}
