import { FirnError, hasCode, problemOf } from '../../core/firnError.ts';
import { parseBound } from '../../core/heights/findHeight.ts';
import type { LookTurn } from '../../core/paging/lookTurns.ts';
import { partitionName } from '../../core/partitionName.ts';
import { isOtherSource } from '../../core/requests/isOtherSource.ts';
import { chainOf } from '../../core/stream/chainOf.ts';
import type { Partition } from '../../core/stream/partition.ts';
import type { Stream } from '../../core/stream/stream.ts';
import { systemClock } from '../../extract/clock.ts';
import type { DateHeights } from '../../load/bookkeeping/dateHeights.ts';
import { type Begun, begunFrom } from '../../load/commit/begun.ts';
import { readCheckpoint } from '../../load/commit/checkpoints.ts';
import { withPlace } from '../../load/withPlace.ts';
import { beginOf, type ListedPartition, type PlannedStream } from '../planStreams.ts';
import type { Fetch } from '../sources/drive.ts';
import { earlierBegin } from './earlierBegin.ts';
import { lookAtRange } from './lookAtRange.ts';
import { offeredBefore } from './offeredBefore.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';
import type { RangeLook } from './rangePosition.ts';
import { readLookup } from './readLookup.ts';
import { readPaged } from './readPages.ts';
import { readRange } from './readRange.ts';
import { readSnapshot } from './readSnapshot.ts';
import { isChained } from './sameChain.ts';
import type { PartitionResult, SyncOptions } from './syncOptions.ts';

/** One partition on its way through a run. */
export interface PartitionRead {
  readonly stream: string;
  readonly key: string;
  readonly source: string;
  /** Behind which others it is read. */
  readonly rank: Rank;
  /** Looks at a range that was read before. Where the source is not the one it was, or as it was before, gives why it may not be read. */
  look(): Promise<FirnError | undefined>;
  /** @param refusal why nothing of the source is to be taken */
  read(refusal: FirnError | undefined): Promise<PartitionResult>;
  /** Keys that are not there, as the source says that answered for no other: that is believed once another partition has them, and it is read again. */
  missed(): readonly string[];
}

/** In this order: `told` is a list of which only others tell whether it is of the same chain, `late` what others' rows ask for. */
export const ranks = ['first', 'told', 'late'] as const;
export type Rank = (typeof ranks)[number];

function rankOf(stream: Stream, planned: readonly PlannedStream[]): Rank {
  if (stream.way === 'lookup') return 'late';
  return stream.way === 'snapshot' && planned.some((other) => tellsOf(other.stream, stream)) ? 'told' : 'first';
}

/** Whether the rows of a stream tell of which chain its source is. */
const tellsOf = (stream: Stream, { source }: Stream) => isChained(stream) && stream.source === source;

interface PartitionOptions extends SyncOptions, Pick<ReadContext, 'enrich'> {
  readonly begun: Begun;
  readonly dates: DateHeights;
  readonly turnOn: (chain: string) => LookTurn;
}

/** A partition, how it is asked for, and what became of it so far. */
interface Opened extends Pick<PlannedStream, 'stream' | 'pipeline'>, ListedPartition {
  readonly options: PartitionOptions;
  /** How its source is asked; undefined where that is not configured. */
  readonly ask: Fetch | undefined;
  /** Where the configuration has it begin, where a read begins there. */
  readonly begin: string | undefined;
  /** The same, whatever is read. */
  readonly wanted: string | undefined;
  readonly state: unknown;
  readonly turn: LookTurn;
  readonly tally: Tally;
}

/** How often the batches of a read may be taken back: each time DuckDB gets more memory, and at last every batch is a transaction of its own. */
const mostAgain = 3;

/** @param listed the partition, or what keeps it from being read */
export function openPartition(
  planned: PlannedStream,
  listed: ListedPartition,
  options: PartitionOptions,
): PartitionRead {
  const { stream, pipeline } = planned;
  const wanted = listed.partition ? beginOf(planned, listed.partition) : undefined;
  const opened: Opened = {
    stream,
    pipeline,
    begin: options.readStream ? undefined : wanted,
    wanted,
    ...listed,
    options,
    ask: options.fetch[stream.source.name],
    state: stream.state?.(),
    turn: options.turnOn(chainOf(stream, listed.partition?.values)),
    tally: new Tally(listed.problem),
  };
  return {
    stream: stream.id,
    key: listed.key,
    source: stream.source.name,
    rank: rankOf(stream, options.planned),
    look: () => look(opened),
    read: (refusal) => read(opened, refusal),
    missed: () => missedOf(opened.tally.failure),
  };
}

async function look(opened: Opened): Promise<FirnError | undefined> {
  const { stream, key, partition, ask, tally, options } = opened;
  if (stream.way !== 'range' || !ask || !partition || tally.failure || options.signal.aborted) return undefined;
  await attempt(opened, async () => {
    const saved = await readCheckpoint(options.warehouse, stream.id, key);
    if (saved !== null) tally.look = await lookAtRange(stream, contextOf(opened, partition, ask), saved);
  });
  const { failure } = tally;
  return isFirn(failure) && isOtherSource(failure) ? failure : undefined;
}

async function read(opened: Opened, refusal: FirnError | undefined): Promise<PartitionResult> {
  const { stream, key, partition, ask, state, tally, options } = opened;
  if (options.signal.aborted) return result(opened, 'stopped');
  if (missedOf(tally.failure).length > 0) tally.failure = undefined;
  tally.failure ??=
    notTaken(stream, ask, refusal) ?? (partition ? options.sameChain?.refusal(stream, partition) : undefined);
  if (!tally.failure && ask && partition) {
    options.listener?.started?.(stream.id, key);
    const readOnce = () => (options.readStream ?? readNew)(stream, contextOf(opened, partition, ask));
    await attempt(opened, async () => {
      await noteEarlierBegin(opened);
      await readThrough(readOnce, tally);
      tally.notes.push(...(stream.notes?.(partition, state, tally.kept) ?? []));
    });
  }
  if (tally.failure !== undefined) return failed(opened, tally.failure);
  const { notes } = tally;
  return { ...result(opened, options.signal.aborted ? 'stopped' : 'done'), ...(notes.length > 0 && { notes }) };
}

/** Notes that a partition that was read before is to begin earlier. Of a height a range tells itself, by its rows. */
async function noteEarlierBegin({ stream, key, begin, tally, options }: Opened): Promise<void> {
  if (begin === undefined || (stream.way === 'range' && 'height' in parseBound(begin))) return;
  const { now } = options.clock ?? systemClock;
  const earlier = earlierBegin(stream.id, begin, begunOf({ stream, key, options }), now());
  if (earlier && (await readCheckpoint(options.warehouse, stream.id, key))) tally.notes.push(earlier);
}

/** From where on it was read, as far as that is noted. */
const begunOf = ({ stream, key, options }: Pick<Opened, 'stream' | 'key' | 'options'>) =>
  options.begun.get(partitionName(stream.id, key));

async function failed(opened: Opened, failure: unknown): Promise<PartitionResult> {
  const { stream, key, options } = opened;
  if (hasCode(failure, 'interrupted')) return result(opened, 'stopped');
  if (!hasCode(failure, 'not_offered')) return result(opened, 'failed', failure);
  // The state may be the next that fails.
  const gone = await offeredBefore(options.warehouse, stream.id, key, failure, options.readUntil).catch(
    (error: unknown) => error,
  );
  return gone ? result(opened, 'failed', gone) : result(opened, 'not_offered', failure);
}

const result = (
  { stream, key, pipeline, tally, options }: Opened,
  outcome: PartitionResult['outcome'],
  error?: unknown,
): PartitionResult => ({
  stream: stream.id,
  partition: key,
  ...(!options.readStream && { pipeline }),
  ...tally.told(),
  outcome,
  ...(error !== undefined && problemOf(error)),
});

/** Runs work, and keeps why it failed. A source that is not ready may lack what it will have. */
async function attempt(
  { stream, partition, turn, tally, options }: Opened,
  work: () => Promise<unknown>,
): Promise<void> {
  const began = performance.now();
  try {
    await work();
  } catch (error) {
    // What it said of dates is not true of the chain that was read.
    if (hasCode(error, 'source_shrank')) options.dates.forget(chainOf(stream, partition?.values));
    // The run may end while that is asked.
    const asking = isFirn(error) ? options.notReady?.(stream.source, tally.lastPath, error) : undefined;
    tally.failure = (await asking?.catch((instead: unknown) => instead)) ?? withPlace(error);
  } finally {
    turn.end();
    // What cannot be kept (the disk is full) is found again.
    await options.dates.save().catch(() => {});
    tally.seconds += (performance.now() - began) / 1000;
  }
}

/** The outcome of a partition so far. */
class Tally {
  /** Positions that are left. */
  behind = 0;
  requests = 0;
  /** Rows of which what was read before stayed. */
  kept = 0;
  seconds = 0;
  /** Path of the last request. */
  lastPath = '';
  look: RangeLook | undefined;
  failure: unknown;
  readonly notes: string[] = [];
  #read: ReadResult = { rows: 0, childRows: 0, quarantined: 0, bytes: 0 };
  /** Requests that commits have told of. */
  #toldRequests = 0;

  constructor(failure: unknown) {
    this.failure = failure;
  }

  /** Adds what was committed: it stays and is reported, whatever happens after it. */
  add({ rows, childRows, quarantined, bytes }: ReadResult): void {
    const read = this.#read;
    this.#read = {
      rows: read.rows + rows,
      childRows: read.childRows + childRows,
      quarantined: read.quarantined + quarantined,
      bytes: read.bytes + bytes,
    };
  }

  /** Requests since the last call. */
  takeRequests(): number {
    const taken = this.requests - this.#toldRequests;
    this.#toldRequests = this.requests;
    return taken;
  }

  /** What is told of it. */
  told() {
    const { behind, requests, seconds } = this;
    return { ...this.#read, ...(behind > 0 && { behind }), requests, seconds };
  }
}

/** Reads; where another read's failed batch took this one's back, reads again from what is durable. */
async function readThrough(readOnce: () => Promise<void>, tally: Tally): Promise<void> {
  for (let again = 0; ; again++) {
    try {
      return await readOnce();
    } catch (error) {
      if (!hasCode(error, 'rolled_back') || again === mostAgain) throw error;
      tally.look = undefined;
    }
  }
}

/** What a partition is read with, and what is counted of it. */
function contextOf(
  { stream, key, begin, wanted, state, turn, tally, options }: Opened,
  partition: Partition,
  ask: Fetch,
): ReadContext {
  const { warehouse, network, clock = systemClock, runId, enrich, sameChain, signal, dates, listener } = options;
  const chain = chainOf(stream, partition.values);
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
    takeRequests: () => tally.takeRequests(),
    runId,
    saved: () => readCheckpoint(warehouse, stream.id, key),
    enrich,
    sameChain,
    signal,
    wanted,
    begin: begin && begunFrom(begin, begunOf({ stream, key, options }), clock.now()),
    look: tally.look,
    note: (sentence) => tally.notes.push(sentence),
    committed(done, kept = 0) {
      tally.add(done);
      tally.kept += kept;
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
const missedOf = (failure: unknown) => (isFirn(failure) ? (failure.context.missed ?? []) : []);

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
