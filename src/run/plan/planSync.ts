import { holdsTimes } from '../../core/columns/holdsTimes.ts';
import { type ErrorCode, FirnError, hasCode, problemOf } from '../../core/firnError.ts';
import type { DateBrackets } from '../../core/heights/dateBracket.ts';
import { partitionName } from '../../core/partitionName.ts';
import type { Request } from '../../core/requests/request.ts';
import { lastSecond } from '../../core/rows/lastSecond.ts';
import { chainOf } from '../../core/stream/chainOf.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import type { PagedStream, RangeStream, SnapshotStream, Stream, Window } from '../../core/stream/stream.ts';
import { type DateHeights, openDateHeights } from '../../load/bookkeeping/dateHeights.ts';
import { type Begun, readBegun } from '../../load/commit/begun.ts';
import { readCheckpoint } from '../../load/commit/checkpoints.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { timestampOf } from '../../transform/bucketTime.ts';
import {
  beginOf,
  type ListedPartition,
  listPartitions,
  type NetworkAsFarAsKnown,
  type PlannedStream,
} from '../planStreams.ts';
import { earlierBegin } from '../read/earlierBegin.ts';
import { offeredBefore } from '../read/offeredBefore.ts';
import type { RangePosition } from '../read/rangePosition.ts';
import { readAgainFrom } from '../read/restUnread.ts';
import { answer, checked, type Fetch, type Fetches } from '../sources/drive.ts';

/** What a sync will read of one partition. Numbers are estimates; null where the source does not say how much there is. */
export interface PartitionPlan {
  readonly stream: string;
  readonly partition: string;
  readonly way: Stream['way'];
  readonly from: string;
  readonly to: string;
  readonly rows: number | null;
  /** HTTP requests; a batch of calls is one. */
  readonly requests: number;
  readonly computeUnits: number;
  /** Of answers, after decompression. */
  readonly bytes: number | null;
  readonly note?: string;
  readonly code?: ErrorCode;
}

export interface PlanOptions extends NetworkAsFarAsKnown {
  readonly warehouse: Warehouse;
  readonly planned: readonly PlannedStream[];
  readonly fetch: Fetches;
}

/** Bytes of answers for a row, with its children, where the warehouse has not read any yet: measured on the embedded ledger's blocks with children. */
const unknownRowBytes = 3_000;

/** Asks each partition's source once where it ends, and computes what a sync would read. Nothing is written. */
export async function planSync(options: PlanOptions): Promise<PartitionPlan[]> {
  const plans: PartitionPlan[] = [];
  const dates = await openDateHeights(options.warehouse);
  const begun = await readBegun(options.warehouse.query);
  for (const planned of options.planned) {
    for (const listed of listPartitions(planned, options))
      plans.push(await planPartition(planned, listed, { ...options, dates, begun }));
  }
  return plans;
}

async function planPartition(
  planned: PlannedStream,
  { key, partition, problem }: ListedPartition,
  { warehouse, fetch, dates, begun }: PlanOptions & { readonly dates: DateHeights; readonly begun: Begun },
): Promise<PartitionPlan> {
  const { stream, parameters } = planned;
  const saved = await readCheckpoint<Partial<RangePosition>>(warehouse, stream.id, key);
  const base = {
    stream: stream.id,
    partition: key,
    way: stream.way,
    from: shownPosition(stream, saved, partition?.from ?? parameters['from']),
    to: 'head',
    rows: null,
    bytes: null,
    requests: 1,
    computeUnits: 0,
  };
  const source = fetch[stream.source.name];
  try {
    if (problem !== undefined || !partition) throw problem;
    if (!source) throw new FirnError('config', `The source ${stream.source.name} is not configured.`);
    const asking = { partition, saved, source, brackets: dates.of(chainOf(stream, partition.values)) };
    const earlier =
      saved && earlierBegin(stream.id, beginOf(planned, partition), begun.get(partitionName(stream.id, key)));
    const plan = await (stream.way === 'range' ? planRange(stream, asking, warehouse) : planPages(stream, asking));
    const note = [plan.note ?? [], earlier ?? []].flat().join('; ');
    return { ...base, ...plan, ...(note && { note }) };
  } catch (error) {
    // Runs fail by what was read before.
    const isNotOffered = hasCode(error, 'not_offered');
    const gone = isNotOffered && (await offeredBefore(warehouse, stream.id, key, error));
    const { code, message } = problemOf(gone || error);
    return { ...base, ...(problem !== undefined && { requests: 0 }), note: message, code };
  }
}

/** What a partition is asked with. */
interface Asking {
  readonly partition: Partition;
  readonly saved: Partial<RangePosition> | null;
  readonly source: Fetch;
  readonly brackets: DateBrackets;
}

async function planRange(
  stream: RangeStream,
  { partition, saved, source, brackets }: Asking,
  warehouse: Warehouse,
): Promise<Pick<PartitionPlan, 'to' | 'rows' | 'bytes'> & Partial<PartitionPlan>> {
  // A sync asks this again, and also whether the row that was read last is still there.
  let asked = saved ? 1 : 0;
  const ask: Fetch = (request) => {
    asked++;
    return source(request);
  };
  const head = await answer(stream.head(partition), ask);
  if (head === null) {
    const note = stream.whereEmpty?.(partition);
    return { to: 'nothing yet', rows: 0, bytes: 0, ...(note && { note }) };
  }
  if (saved === null && stream.checkBegin) await answer(stream.checkBegin(partition, head), ask);
  const at = saved as RangePosition | null;
  const next = at?.next ?? (await answer(stream.first(partition, head, brackets), ask));
  const last = stream.last && next <= head ? await answer(stream.last(partition, next, head, brackets), ask) : head;
  const again = at ? await readAgainFrom(stream, { partition, warehouse }, at) : undefined;
  const from = again ?? next;
  const rows = Math.max(0, last - from + 1);
  const estimate = (rows > 0 ? stream.requestsFor?.(partition, rows) : 0) ?? Math.ceil(rows / stream.size);
  const toRead = typeof estimate === 'number' ? estimate : await answer(estimate, ask);
  return {
    from: String(from),
    to: String(last),
    rows,
    requests: rows === 0 ? 1 : asked + toRead,
    bytes: rows * (await bytesPerRow(warehouse, stream.id)),
    ...(again !== undefined && { note: `was read in part from ${again} on, and is read again` }),
  };
}

/** How much is read of a stream that does not say it. */
const howMuch: Readonly<Record<string, string>> = {
  snapshot: 'the whole list, every run',
  lookup: 'keys found in the warehouse',
};

async function planPages(
  stream: Exclude<Stream, RangeStream>,
  { partition, saved, source, brackets }: Asking,
): Promise<Pick<PartitionPlan, 'computeUnits' | 'note'>> {
  const window = { position: saved, now: Date.now(), brackets };
  const first = stream.way === 'lookup' ? undefined : firstRequest(stream, partition, window);
  if (first) await source(first);
  return {
    computeUnits: first && 'weight' in first ? first.weight : 0,
    note: [howMuch[stream.way] ?? 'at least one page', ...remarks(stream, partition)].join('; '),
  };
}

/** What a user should know before a read: requests that a limit splits, and what the source is about to give up. */
const remarks = ({ deprecated }: Stream, { notes = [] }: Partition): readonly string[] =>
  deprecated ? [...notes, `deprecated since ${deprecated.since}: use ${deprecated.use}`] : notes;

async function bytesPerRow(warehouse: Warehouse, stream: string): Promise<number> {
  const [row] = await warehouse.query<{ per: number | null }>(
    'SELECT sum(bytes)::DOUBLE / nullif(sum(rows_in), 0)::DOUBLE AS per FROM firn.load WHERE stream = $1',
    [stream],
  );
  return row?.per ?? unknownRowBytes;
}

/** The first request that a read would send; undefined where it would send none. */
export function firstRequest(
  stream: PagedStream | SnapshotStream,
  partition: Partition,
  window: Window,
): Request | undefined {
  const pages = stream.pages(partition, window, stream.state?.());
  let step = pages.next();
  // The place where a read begins may be known without a look.
  while (!step.done && step.value.kind === 'advance') step = pages.next(undefined as never);
  return step.done || step.value.kind === 'advance' || step.value.kind === 'read'
    ? undefined
    : checked(stream, partition, step.value);
}

/**
 * A position for people: `newest 2026-03-01 00:00:00`, `next 3406, since 2026-01-20 00:00:00`. Times are UTC.
 *
 * @param from the bound of the first read, where the stream has one
 */
export function shownPosition({ table }: Pick<Stream, 'table'>, position: Position | null, from?: unknown): string {
  if (position === null) return String(from ?? 'the beginning');
  const isByTime = holdsTimes(table, table.range);
  const isTime = (name: string) => name === 'since' || (isByTime && (name === 'newest' || name === 'cursor'));
  return Object.entries(position)
    .map(([name, value]) => {
      if (name === 'reading') return 'an unfinished read';
      if (name === 'readAt') return `read ${valueText(Number(value) / 1000, true)}`;
      return `${name} ${valueText(value, isTime(name))}`;
    })
    .join(', ');
}

function valueText(value: unknown, isTime: boolean): string {
  if (typeof value === 'number' && isTime && value >= 0 && value <= lastSecond) return timestampOf(value);
  if (Array.isArray(value)) return String(value.length);
  if (value === null || typeof value !== 'object') return String(value);
  // A history is bounded by a time or a height.
  if ('time' in value) return valueText(value.time, true);
  return 'height' in value ? `height ${value.height}` : '...';
}
