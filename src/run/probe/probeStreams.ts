import { isOtherSource } from '../../core/requests/isOtherSource.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import { type Partition, partitionKey } from '../../core/stream/partition.ts';
import type { Stream } from '../../core/stream/stream.ts';
import { readCheckpoint } from '../../load/commit/checkpoints.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { firstRequest } from '../plan/planSync.ts';
import type { PlannedStream } from '../planStreams.ts';
import { answer, type Fetch, type Fetches } from '../sources/drive.ts';
import { attempt } from './attempt.ts';
import { type Finding, failedFinding } from './finding.ts';
import { probeHeld } from './probeHeld.ts';

/** The outcome of the first request of one partition of a stream. */
export interface StreamFinding extends Finding {
  readonly stream: string;
  /** Undefined where the stream's parameters do not fit what the source has. */
  readonly partition?: Partition;
  /** Last position of a range; null where it has nothing yet. */
  readonly head?: number | null;
  /** Whether the source does not begin where the stream takes it. */
  readonly beginsLate?: true;
  /** The bound from which on it has all, where it says so. */
  readonly begins?: string;
}

/** Partitions of a stream that are asked. */
const mostPartitions = 8;

/**
 * Sends the first request that a sync would send for every stream, to the partitions that tell the most.
 *
 * @param query gives rows that were read, where there are any: the source is then asked whether it still has them
 */
export async function probeStreams(
  planned: readonly PlannedStream[],
  network: NetworkFacts,
  fetch: Fetches,
  query?: Statements['query'],
): Promise<StreamFinding[]> {
  const probed = planned.map(async ({ stream, parameters }): Promise<StreamFinding[]> => {
    const source = fetch[stream.source.name];
    if (!source || stream.way === 'lookup') return [];
    const partitions = await attempt(async () => stream.partitions(parameters as never, network));
    if (partitions.error)
      return [{ ...failedFinding(stream.source.name, stream.id, partitions.error), stream: stream.id }];
    return Promise.all(
      oneOfEach(partitions.value).map(async (partition) => {
        const isNew = !query || (await readCheckpoint({ query }, stream.id, partitionKey(partition))) === null;
        const finding = await probePartition(stream, partition, source, isNew);
        const held =
          query && finding.state === 'ok'
            ? await attempt(() =>
                probeHeld(
                  stream,
                  { partition, fetch: source, state: stream.state?.(), warehouse: { query }, now: Date.now },
                  network,
                ),
              )
            : undefined;
        // Of a source that is not what was read, nothing else is known that was not asked before.
        return held?.error && isOtherSource(held.error)
          ? { ...finding, ...failedFinding(finding.source, finding.about, held.error) }
          : finding;
      }),
    );
  });
  return (await Promise.all(probed)).flat();
}

async function probePartition(
  stream: Exclude<Stream, { way: 'lookup' }>,
  partition: Partition,
  fetch: Fetch,
  isNew: boolean,
): Promise<StreamFinding> {
  const about = [stream.id, ...Object.values(partition.values).slice(0, 1).map(short)].join(' ');
  const asked = await attempt(async () => {
    if (stream.way === 'range') return await answer(stream.head(partition), fetch);
    const first = firstRequest(stream, partition, { position: null, now: Date.now() });
    if (first) await fetch(first);
    return undefined;
  });
  if (asked.error) return { ...failedFinding(stream.source.name, about, asked.error), stream: stream.id, partition };
  const head = asked.value;
  const checkBegin = stream.way === 'range' ? stream.checkBegin : undefined;
  const isChecked = isNew && checkBegin !== undefined && typeof head === 'number';
  const begin = isChecked ? await attempt(() => answer(checkBegin(partition, head), fetch)) : undefined;
  if (begin?.error?.context.reason === 'late_begin') {
    const late = failedFinding(stream.source.name, about, begin.error);
    const { begins } = begin.error.context;
    const found = { ...late, state: 'refused', stream: stream.id, partition, head: head ?? null } as const;
    return { ...found, beginsLate: true, ...(begins !== undefined && { begins }) };
  }
  const sentence =
    head === undefined ? 'answers' : head === null ? 'holds nothing yet' : `ends at ${head.toLocaleString('en-US')}`;
  return {
    source: stream.source.name,
    about,
    state: 'ok',
    sentence,
    stream: stream.id,
    partition,
    ...(head !== undefined && { head }),
  };
}

/** Long ids by their beginning. */
const short = (value: string) => (value.length > 20 ? `${value.slice(0, 10)}...` : value);

/** Partitions with the same first value (a chain, an index) stand for each other. */
function oneOfEach(partitions: readonly Partition[]): readonly Partition[] {
  const byFirst = new Map<string, Partition>();
  for (const partition of partitions) {
    const first = Object.values(partition.values)[0] ?? '';
    if (!byFirst.has(first)) byFirst.set(first, partition);
  }
  return [...byFirst.values()].slice(0, mostPartitions);
}
