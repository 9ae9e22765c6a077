import { isReadToEnd } from '../../core/isReadToEnd.ts';
import { partitionName } from '../../core/partitionName.ts';
import { identifier } from '../../core/text/sqlText.ts';
import type { Unresolved } from '../../core/unresolved.ts';
import type { DroppedReads } from '../../load/bookkeeping/droppedReads.ts';
import type { PartitionState, StreamState } from '../reportData.ts';
import { dayMs } from '../texts/timeText.ts';
import * as queries from './queries.ts';
import { type RelationQuery, type Relations, rowsIn } from './readRelations.ts';
import type { RunDetails } from './readRuns.ts';
import { count, numberOrNull, type ReportRow, text } from './rowValues.ts';
import type { StatusContext } from './statusContext.ts';

/** What a run says of partitions. */
type ReadRun = Pick<RunDetails, 'partitions' | 'unnamedFailures' | 'pipelines' | 'isWhole' | 'isEverything'>;

interface StreamFacts extends Pick<StatusContext, 'now' | 'times' | 'pipelines' | 'dropped'> {
  readonly runs: readonly ReadRun[];
  readonly unresolved: Unresolved;
}

/** Every stream that was ever read or tried, with its partitions, its rows and its newest row. */
export async function readStreams(
  reader: RelationQuery,
  relations: Relations,
  { now, runs: told, dropped, unresolved, times, pipelines }: StreamFacts,
): Promise<StreamState[]> {
  const runs = dropped?.size
    ? told.map((run) => ({ ...run, partitions: run.partitions.map((outcome) => sinceDropped(outcome, dropped)) }))
    : told;
  const partitions = await readPartitions(reader, relations, runs, new Set(pipelines));
  const waiting = new Map(unresolved.streams.map(({ stream, records }) => [stream, records]));
  for (const stream of waiting.keys()) if (!partitions.has(stream)) partitions.set(stream, []);
  const gapCounts = await rowsIn(reader, relations)('firn.gap', queries.gapCountsSql);
  const gaps = new Map(gapCounts.map((row) => [text(row['stream']), count(row['gaps'])]));
  const streams: StreamState[] = [];
  for (const [stream, states] of [...partitions].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const last = runs.find((run) => run.partitions.some((partition) => partition.stream === stream));
    const { rows, newest } = await readTable(reader, relations, stream, times.get(stream), now);
    streams.push({
      stream,
      rows: rows ?? states.reduce((sum, state) => sum + state.rows, 0),
      quarantined: waiting.get(stream) ?? 0,
      knownGaps: gaps.get(stream) ?? 0,
      lastLoad: states.reduce((latest, { lastLoad }) => Math.max(latest, lastLoad ?? 0), 0) || null,
      lastRead: lastReadOf(stream, states, last),
      unnamedFailures: last?.unnamedFailures[stream] ?? 0,
      newestRow: newest,
      partitions: states,
    });
  }
  return streams;
}

/**
 * The oldest read among the partitions of the last run; others are not configured any more, and do not count, nor does what the source never
 * offered.
 */
function lastReadOf(stream: string, states: readonly PartitionState[], last: ReadRun | undefined): number | null {
  const wanted = new Set(last?.partitions.flatMap((one) => (one.stream === stream ? [one.partition] : [])));
  const times = states
    .filter(
      ({ partition, outcome, lastRead }) => wanted.has(partition) && (outcome !== 'not_offered' || lastRead !== null),
    )
    .map(({ lastRead }) => lastRead);
  return times.length === 0 || times.includes(null)
    ? null
    : times.map(Number).reduce((first, time) => Math.min(first, time));
}

type Outcome = RunDetails['partitions'][number];

/** What a read brought before its partition was dropped is there no more. */
function sinceDropped(outcome: Outcome, dropped: DroppedReads): Outcome {
  const droppedAt = dropped.get(partitionName(outcome.stream, outcome.partition)) ?? -1;
  const since = (outcome.lastRead ?? -1) > droppedAt ? outcome : { ...outcome, lastRead: null };
  return outcome.outcome !== 'failed' && outcome.readAt <= droppedAt
    ? { ...since, outcome: 'dropped', message: null, code: null, behind: null }
    : since;
}

/** When a partition was last read to its end, as its outcome tells. */
const lastReadBy = (outcome: Outcome): number | null =>
  isReadToEnd(outcome) ? outcome.readAt : (outcome.lastRead ?? null);

async function readPartitions(
  reader: RelationQuery,
  relations: Relations,
  runs: readonly ReadRun[],
  pipelines: ReadonlySet<string>,
): Promise<Map<string, PartitionState[]>> {
  const found = new Map<string, PartitionState[]>();
  const outcomes = lastOutcomes(runs, pipelines, () => true);
  const reads = lastOutcomes(runs, pipelines, (outcome) => lastReadBy(outcome) !== null);
  const add = (row: ReportRow, outcome: Outcome | undefined) => {
    const [stream, partition] = [text(row['stream']), text(row['partition'])];
    const states = found.get(stream) ?? [];
    found.set(stream, states);
    const read = reads.get(partitionName(stream, partition));
    states.push({
      partition,
      position: (row['position'] ?? null) as string | null,
      rows: count(row['rows']),
      quarantined: count(row['quarantined']),
      lastLoad: numberOrNull(row['last_load']),
      outcome: outcome?.outcome ?? null,
      message: outcome?.message ?? null,
      code: outcome?.code ?? null,
      lastRead: read ? lastReadBy(read) : null,
      behind: outcome?.behind ?? null,
    });
  };
  for (const row of await reader.query<ReportRow>(queries.partitionsSql(relations.get('firn.load') ?? new Map()))) {
    const key = partitionName(text(row['stream']), text(row['partition']));
    add(row, outcomes.get(key));
    outcomes.delete(key);
  }
  // Partitions that were tried, but never committed anything.
  for (const outcome of outcomes.values()) add({ stream: outcome.stream, partition: outcome.partition }, outcome);
  return found;
}

/**
 * The newest outcome of each partition that counts; a later run may have read others only. A partition counts no longer as failed or behind
 * once its pipeline is not configured any more, once a later run of that pipeline read its stream, or the whole pipeline, without the
 * partition, and once a later run read everything that is configured. A run that was stopped before it came to a partition says nothing of
 * its failure.
 */
function lastOutcomes(
  runs: readonly ReadRun[],
  pipelines: ReadonlySet<string>,
  counts: (outcome: Outcome) => boolean,
): Map<string, Outcome> {
  const found = new Map<string, Outcome>();
  const wanted = new Set<string>();
  const whole = new Set<string>();
  let isOver = false;
  for (const run of runs) {
    const { partitions } = run;
    for (const outcome of partitions.filter(counts)) {
      const { stream, partition, pipeline } = outcome;
      const key = partitionName(stream, partition);
      const known = found.get(key);
      const isUnwanted =
        isOver ||
        wanted.has(pipeline === null ? stream : `${stream} of ${pipeline}`) ||
        (pipeline !== null && (whole.has(pipeline) || !pipelines.has(pipeline)));
      if ((outcome.outcome === 'failed' || outcome.behind) && isUnwanted && !known) continue;
      if (!known || (known.outcome === 'stopped' && outcome.outcome === 'failed')) found.set(key, outcome);
    }
    for (const { stream, pipeline } of partitions)
      if (pipeline !== null) wanted.add(stream).add(`${stream} of ${pipeline}`);
    // One that came to nothing says nothing.
    if (partitions.length === 0) continue;
    if (run.isWhole) for (const pipeline of run.pipelines) whole.add(pipeline);
    isOver ||= run.isEverything;
  }
  return found;
}

async function readTable(
  reader: RelationQuery,
  relations: Relations,
  stream: string,
  time: string | undefined,
  now: number,
): Promise<{ rows: number | null; newest: number | null }> {
  const table = stream.replace('/', '_');
  const columns = relations.get(`raw.${table}`);
  // Only names of the catalogue reach the statement.
  if (!columns) return { rows: null, newest: null };
  const known = time !== undefined && columns.has(time) ? time : undefined;
  // A row from the future, such as a bucket that a service dates wrongly, says nothing of how far the stream is. Clocks may differ.
  const sql = queries.tableSql(`raw.${identifier(table)}`, known, now + dayMs);
  const [row] = await reader.query<ReportRow>(sql);
  return { rows: count(row?.['rows']), newest: numberOrNull(row?.['newest']) };
}
