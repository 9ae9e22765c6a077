import { FirnError, problemOf } from '../../core/firnError.ts';
import type { LookTurn } from '../../core/paging/lookTurns.ts';
import type { Partition, Stream } from '../../core/stream.ts';
import { systemClock } from '../../extract/clock.ts';
import { readCheckpoint } from '../../load/checkpoints.ts';
import type { DateHeights } from '../../load/dateHeights.ts';
import type { ListedPartition, PlannedStream } from '../planStreams.ts';
import type { Fetch } from '../sources/drive.ts';
import { offeredBefore } from './offeredBefore.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';
import { readLookup } from './readLookup.ts';
import { readPaged } from './readPages.ts';
import { lookAtRange, type RangeLook, readRange } from './readRange.ts';
import { readSnapshot } from './readSnapshot.ts';
import type { PartitionResult, SyncOptions } from './syncStreams.ts';

/** One partition on its way through a run. */
export interface PartitionRead {
  readonly stream: string;
  readonly key: string;
  readonly source: string;
  /** Whether it is read when the others are. */
  readonly isLate: boolean;
  /** Looks at a range that was read before. Where the source is not the one it was, or as it was before, gives why it may not be read. */
  look(): Promise<FirnError | undefined>;
  /** @param refusal why nothing of the source is to be taken */
  read(refusal: FirnError | undefined): Promise<PartitionResult>;
}

interface PartitionOptions extends SyncOptions, Pick<ReadContext, 'enrich'> {
  readonly dates: DateHeights;
  readonly turnOn: (chain: string) => LookTurn;
}

/** The outcome of a partition so far. */
interface Tally {
  /** What was committed: it stays and is reported, whatever happens after it. */
  read: ReadResult;
  /** Positions that are left. */
  behind: number;
  requests: number;
  /** Those of them that commits have told of. */
  toldRequests: number;
  seconds: number;
  /** Path of the last request. */
  lastPath: string;
  look: RangeLook | undefined;
  failure: unknown;
  readonly notes: string[];
}

/** A partition, and how it is asked for. */
interface PartitionFacts {
  readonly stream: Stream;
  readonly key: string;
  readonly partition: Partition;
  readonly state: unknown;
  readonly ask: Fetch;
  readonly turn: LookTurn;
  readonly tally: Tally;
}

/** How often the batches of a read may be taken back: each time DuckDB gets more memory, and at last every batch is a transaction of its own. */
const mostAgain = 3;

/** @param listed the partition, or what keeps it from being read */
export function openPartition(
  { stream, pipeline }: PlannedStream,
  { key, partition, problem }: ListedPartition,
  options: PartitionOptions,
): PartitionRead {
  const { warehouse, signal, listener } = options;
  const source = options.fetch[stream.source.name];
  const state = stream.state?.();
  const turn = options.turnOn(partition?.values['chain_id'] ?? stream.id);
  const tally = emptyTally(problem);
  const contextOf = (of: Partition, ask: Fetch) =>
    createContext(options, { stream, key, partition: of, state, ask, turn, tally });
  const result = (outcome: PartitionResult['outcome'], error?: unknown): PartitionResult => ({
    stream: stream.id,
    partition: key,
    ...(!options.readStream && { pipeline }),
    ...toldOf(tally),
    outcome,
    ...(error !== undefined && problemOf(error)),
  });
  /** Runs work, and keeps why it failed. A source that is not ready may lack what it will have. */
  const attempt = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    try {
      await work();
    } catch (error) {
      // The run may end while that is asked.
      const asking = isFirn(error) ? options.notReady?.(stream.source, tally.lastPath, error) : undefined;
      tally.failure = (await asking?.catch((instead: unknown) => instead)) ?? error;
    } finally {
      turn.end();
      // What cannot be kept (the disk is full) is found again.
      await options.dates.save().catch(() => {});
      tally.seconds += (performance.now() - began) / 1000;
    }
  };
  return {
    stream: stream.id,
    key,
    source: stream.source.name,
    isLate: stream.way === 'lookup',
    async look() {
      if (stream.way !== 'range' || !source || !partition || tally.failure || signal.aborted) return undefined;
      await attempt(async () => {
        const saved = await readCheckpoint(warehouse, stream.id, key);
        if (saved !== null) tally.look = await lookAtRange(stream, contextOf(partition, source), saved);
      });
      const { failure } = tally;
      const isOther = isFirn(failure) && (failure.code === 'source_shrank' || failure.context.reason === 'behind');
      return isOther ? failure : undefined;
    },
    async read(refusal) {
      if (signal.aborted) return result('stopped');
      tally.failure ??= notTaken(stream, source, refusal);
      if (!tally.failure && source && partition) {
        listener?.started?.(stream.id, key);
        const readOnce = () => (options.readStream ?? readNew)(stream, contextOf(partition, source));
        await attempt(() => readThrough(readOnce, tally));
      }
      const { failure } = tally;
      if (failure === undefined) {
        const notes = [...tally.notes, ...((partition && stream.notes?.(partition, state)) ?? [])];
        return { ...result(signal.aborted ? 'stopped' : 'done'), ...(notes.length > 0 && { notes }) };
      }
      const { code } = problemOf(failure);
      if (code === 'interrupted') return result('stopped');
      if (!isFirn(failure) || code !== 'not_offered') return result('failed', failure);
      // The state may be the next that fails.
      const gone = await offeredBefore(warehouse, stream.id, key, failure, options.readUntil).catch(
        (error: unknown) => error,
      );
      return gone ? result('failed', gone) : result('not_offered', failure);
    },
  };
}

/** Reads; where another read's failed batch took this one's back, reads again from what is durable. */
async function readThrough(readOnce: () => Promise<void>, tally: Tally): Promise<void> {
  for (let again = 0; ; again++) {
    try {
      return await readOnce();
    } catch (error) {
      if (!isFirn(error) || error.code !== 'rolled_back' || again === mostAgain) throw error;
      tally.look = undefined;
    }
  }
}

const emptyTally = (failure: unknown): Tally => ({
  read: { rows: 0, childRows: 0, quarantined: 0, bytes: 0 },
  behind: 0,
  requests: 0,
  toldRequests: 0,
  seconds: 0,
  lastPath: '',
  look: undefined,
  failure,
  notes: [],
});

const toldOf = ({ read, behind, requests, seconds }: Tally) => ({
  ...read,
  ...(behind > 0 && { behind }),
  requests,
  seconds,
});

/** What a partition is read with, and what is counted of it. */
function createContext(
  { warehouse, network, clock = systemClock, runId, enrich, signal, dates, listener }: PartitionOptions,
  { stream, key, partition, state, ask, turn, tally }: PartitionFacts,
): ReadContext {
  const chain = partition.values['chain_id'] ?? stream.id;
  return {
    warehouse,
    partition,
    network,
    state,
    now: clock.now,
    brackets: dates.of(chain),
    seen: (rows, first) => dates.note(chain, stream, rows, first),
    async fetch(request) {
      await turn.before(request);
      tally.lastPath = request.path;
      return ask(request, () => {
        tally.requests++;
      });
    },
    takeRequests() {
      const taken = tally.requests - tally.toldRequests;
      tally.toldRequests = tally.requests;
      return taken;
    },
    runId,
    saved: () => readCheckpoint(warehouse, stream.id, key),
    enrich,
    signal,
    look: tally.look,
    note: (sentence) => tally.notes.push(sentence),
    committed({ rows, childRows, quarantined, bytes }) {
      const { read } = tally;
      tally.read = {
        rows: read.rows + rows,
        childRows: read.childRows + childRows,
        quarantined: read.quarantined + quarantined,
        bytes: read.bytes + bytes,
      };
    },
    progress(done, total) {
      tally.behind = (total ?? done) - done;
      listener?.progress?.(stream.id, key, done, total);
    },
  };
}

/** Why nothing may be read of a partition; undefined where it may. @param refusal why nothing of the source is to be taken */
function notTaken(
  { id, source }: Stream,
  fetch: Fetch | undefined,
  refusal: FirnError | undefined,
): FirnError | undefined {
  if (refusal)
    return new FirnError(refusal.code, `Nothing was taken from the source ${source.name}: ${refusal.message}`);
  return fetch ? undefined : new FirnError('config', `The source ${source.name} of ${id} is not configured.`);
}

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
