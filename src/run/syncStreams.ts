import PQueue from 'p-queue';
import { type ErrorCode, FirnError } from '../core/firnError.ts';
import type { NetworkFacts } from '../core/network.ts';
import { type Partition, partitionKey, type Source, type Stream } from '../core/stream.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { type DateHeights, openDateHeights } from './dateHeights.ts';
import { createEnricher } from './enricher.ts';
import type { Fetch } from './fetch.ts';
import { createLookTurns, type LookTurn } from './lookTurns.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';
import type { PlannedStream } from './planStreams.ts';
import { readLookup } from './readLookup.ts';
import { readPaged } from './readPaged.ts';
import { readRange } from './readRange.ts';
import { readSnapshot } from './readSnapshot.ts';

/** What became of one partition. */
export interface PartitionResult extends ReadResult {
  readonly stream: string;
  readonly partition: string;
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
  started?(stream: string, partition: string): void;
  progress?(stream: string, partition: string, done: number, total: number | null): void;
  finished?(result: PartitionResult): void;
}

export interface SyncOptions {
  readonly warehouse: Warehouse;
  readonly planned: readonly PlannedStream[];
  readonly network: NetworkFacts;
  /** The way to each configured source. */
  readonly fetch: Readonly<Partial<Record<Source['name'], Fetch>>>;
  readonly runId: string;
  readonly signal: AbortSignal;
  /** Sources that did not answer when they were first asked, each with its error: their streams are not read. */
  readonly unreachable?: Readonly<Partial<Record<Source['name'], unknown>>>;
  readonly listener?: SyncListener;
  /** Reads one partition; what is new of it where this is left out. */
  readonly readStream?: (stream: Stream, context: ReadContext) => Promise<void>;
}

/** Partitions read at once; requests are held back by the limiter of each source. */
const partitionsAtOnce = 4;

/**
 * Reads every partition of the planned streams. A partition that fails does not stop the others; a full disk stops all,
 * since nothing can be committed any more. Lookups come last: their keys are what the others brought.
 */
export async function syncStreams(options: SyncOptions): Promise<PartitionResult[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const results: PartitionResult[] = [];
  const enricher = createEnricher();
  const dates = await openDateHeights(options.warehouse);
  const turnOn = createLookTurns();
  const partitionsOf = (stream: Stream, parameters: unknown): readonly Partition[] => {
    const unreachable = options.unreachable?.[stream.source.name];
    try {
      if (unreachable !== undefined) throw unreachable;
      return stream.partitions(parameters as never, options.network);
    } catch (error) {
      // A chain that the node does not have, or a node that is down, must not keep the other streams from being read.
      const result = unread(stream, error);
      results.push(result);
      options.listener?.finished?.(result);
      return [];
    }
  };
  try {
    for (const late of [false, true]) {
      const queue = new PQueue({ concurrency: partitionsAtOnce });
      for (const { stream, parameters } of options.planned) {
        if ((stream.way === 'lookup') !== late) continue;
        for (const partition of partitionsOf(stream, parameters)) {
          void queue.add(async () => {
            const result = await syncPartition(stream, partition, {
              ...options,
              dates,
              turnOn,
              enrich: enricher.enrich,
              signal,
            });
            if (result.code === 'disk') stop.abort();
            results.push(result);
            options.listener?.finished?.(result);
          });
        }
      }
      await queue.onIdle();
    }
  } finally {
    await enricher.close();
  }
  return results;
}

/** The result of a stream whose partitions cannot be told. */
function unread(stream: Stream, error: unknown): PartitionResult {
  const message = error instanceof Error ? error.message : String(error);
  const none = { rows: 0, quarantined: 0, bytes: 0, requests: 0, seconds: 0 };
  return { stream: stream.id, partition: 'all', ...none, outcome: 'failed', code: codeOf(error), message };
}

type PartitionOptions = SyncOptions &
  Pick<ReadContext, 'enrich'> & { readonly dates: DateHeights; readonly turnOn: (chain: string) => LookTurn };

async function syncPartition(
  stream: Stream,
  partition: Partition,
  options: PartitionOptions,
): Promise<PartitionResult> {
  const key = partitionKey(partition);
  const begun = performance.now();
  let requests = 0;
  let told = 0;
  const source = options.fetch[stream.source.name];
  // What was committed before an error stays, and is told.
  let read: ReadResult = { rows: 0, quarantined: 0, bytes: 0 };
  let behind = 0;
  const result = (outcome: PartitionResult['outcome'], error?: unknown): PartitionResult => ({
    stream: stream.id,
    partition: key,
    ...read,
    outcome,
    ...(behind > 0 && { behind }),
    requests,
    seconds: (performance.now() - begun) / 1000,
    ...(error !== undefined && {
      code: codeOf(error),
      message: error instanceof Error ? error.message : String(error),
    }),
  });
  if (options.signal.aborted) return result('stopped');
  if (!source)
    return result(
      'failed',
      new FirnError('config', `The source ${stream.source.name} of ${stream.id} is not configured.`),
    );
  options.listener?.started?.(stream.id, key);
  const chain = partition.values['chain_id'] ?? stream.id;
  const turn = options.turnOn(chain);
  try {
    await (options.readStream ?? readNew)(stream, {
      warehouse: options.warehouse,
      partition,
      network: options.network,
      brackets: options.dates.of(chain),
      seen: (rows) => options.dates.note(chain, stream.table, rows),
      fetch: async (request) => {
        await turn.before(request);
        return source(request, () => {
          requests++;
        });
      },
      takeRequests: () => {
        const taken = requests - told;
        told = requests;
        return taken;
      },
      runId: options.runId,
      enrich: options.enrich,
      signal: options.signal,
      committed: ({ rows, quarantined, bytes }) => {
        read = { rows: read.rows + rows, quarantined: read.quarantined + quarantined, bytes: read.bytes + bytes };
      },
      progress: (done, total) => {
        behind = (total ?? done) - done;
        options.listener?.progress?.(stream.id, key, done, total);
      },
    });
    const notes = stream.notes?.(partition) ?? [];
    return { ...result(options.signal.aborted ? 'stopped' : 'done'), ...(notes.length > 0 && { notes }) };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'interrupted') return result('stopped');
    return result(code === 'not_offered' ? 'not_offered' : 'failed', error);
  } finally {
    turn.end();
    // What cannot be kept (the disk is full) is found again.
    await options.dates.save().catch(() => {});
  }
}

const codeOf = (error: unknown): ErrorCode => (error instanceof FirnError ? error.code : 'failed');

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
