import type { Row } from '../../core/columns/columnType.ts';
import { type ErrorCode, FirnError, hasCode, withoutNext } from '../../core/firnError.ts';
import { brokenLinks, gapError } from '../../core/paging/rangeGaps.ts';
import { type Partition, type Position, partitionKey } from '../../core/stream/partition.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { shellWord } from '../../core/text/shellWord.ts';
import { hasValues } from '../../core/text/sqlText.ts';
import { answer } from '../sources/drive.ts';
import { askAgain } from './askAgain.ts';
import { Committer } from './committer.ts';
import { healQuarantine } from './healQuarantine.ts';
import { noteBegin } from './noteBegin.ts';
import type { LookContext, ReadContext } from './partitionContext.ts';
import { type RangeLook, type RangePosition, takenInPart } from './rangePosition.ts';
import { readAgainFrom } from './restUnread.ts';
import { takeRange } from './takeRange.ts';

/** Gives the row of a partition at a position; where there is none there, the newest one before it. */
export type LastRow = (stream: RangeStream, context: LookContext, position: number) => Promise<Row | undefined>;

/**
 * Asks for the head and, where there is something to read, whether the source still holds what was read last. Nothing is written.
 *
 * @param rowAt gives rows that were read, where the warehouse does not hold them
 * @throws FirnError `unavailable` where the head lies below the checkpoint and what stands there is what was read; `source_shrank` where it is
 *   not, or the source lost what was read last
 */
export async function lookAtRange(
  stream: RangeStream,
  context: LookContext,
  position: Position | null,
  rowAt: LastRow = lastRow,
): Promise<RangeLook> {
  const { partition, fetch } = context;
  const saved = position as RangePosition | null;
  const head = await answer(stream.head(partition), fetch);
  if (saved === null) return { saved, head, previous: undefined };
  if (head === null || head < saved.next - 1) throw await endsBefore(stream, context, head, saved.next - 1, rowAt);
  const previous = saved.next > head ? undefined : await assertHolds(stream, context, saved.next - 1, rowAt);
  return { saved, head, previous };
}

/** The error of a source whose head lies below what was read last: it is late, or it is not what was read. */
async function endsBefore(
  stream: RangeStream,
  context: LookContext,
  head: number | null,
  last: number,
  rowAt: LastRow,
): Promise<FirnError> {
  const { partition, fetch, state } = context;
  const what = `${stream.id} (${partitionKey(partition)}): the source ends at ${head ?? 'nothing'}, but ${last} was read from it before`;
  const row = await rowAt(stream, context, head ?? last);
  const holds = async () => row && stream.holds && answer(stream.holds(partition, row, state), fetch);
  // A node that has nothing at all has an error for whatever it is asked; another one behind its URL may answer.
  const isSame = await holds().catch((error: unknown) => {
    if (head === null && error instanceof FirnError && error.code !== 'interrupted') return false;
    throw error;
  });
  if (isSame)
    return new FirnError(
      'unavailable',
      `${what}. As far as it goes it is the same, so the node that answers is behind: one of several behind one URL, or one that is catching up. ` +
        'Nothing was changed. Run again later; if this persists, let the URL of the source name one node that is in step.',
      { retryable: true, context: { reason: 'behind' } },
    );
  return new FirnError(
    'source_shrank',
    `${what}, and what it has is not known to be the same. It was wiped, or another node answers. ` +
      `Nothing was changed: wait until the node has caught up, point the source back, or ${dropped(stream, partition)}.`,
  );
}

/**
 * Makes sure that the source still holds what was read from it last: an index that was wiped and has grown again, or
 * another node behind the same URL, counts its positions anew: reading on would mix the two.
 *
 * @param position the last one that was read
 * @returns the row that was read last, where there is one
 * @throws FirnError `source_shrank`
 */
export async function assertHolds(
  stream: RangeStream,
  context: LookContext,
  position: number,
  rowAt: LastRow = lastRow,
): Promise<Row | undefined> {
  const { partition, fetch, state } = context;
  const last = await rowAt(stream, context, position);
  if (last === undefined || !stream.holds || (await answer(stream.holds(partition, last, state), fetch))) return last;
  throw new FirnError(
    'source_shrank',
    `${stream.id} (${partitionKey(partition)}): the source no longer holds what was read from it as ${stream.position} ${last[stream.position]}. ` +
      'Its index was wiped and rebuilt (after a state sync it counts from another block), or another node answers. ' +
      `Nothing was changed: point the source back, or ${dropped(stream, partition)}.`,
  );
}

const dropped = ({ id }: RangeStream, partition: Partition) =>
  `drop what was read, so that it is read from this node, with "firn state drop ${id} ${shellWord(partitionKey(partition))}"`;

/** The row at a position, with bytes as hex. Where its record is in quarantine, the newest one before it: another chain would differ there, too. */
async function lastRow(
  { table, position: name }: RangeStream,
  { warehouse, partition: { values } }: LookContext,
  position: number,
): Promise<Row | undefined> {
  const columns = table.columns.map(({ name, type }) =>
    type === 'blob' ? `hex("${name}") AS "${name}"` : `"${name}"`,
  );
  const own = `SELECT ${columns.join(', ')} FROM ${table.name} WHERE ${hasValues(values)}`;
  // Nearly always it is there: a search for the newest one looks at the column from end to end.
  for (const where of [`"${name}" = ${position}`, `"${name}" < ${position} ORDER BY "${name}" DESC`]) {
    const [row] = await warehouse.query<Row>(`${own} AND ${where} LIMIT 1`, values);
    if (row) return row;
  }
  return undefined;
}

/**
 * Reads a stream by position from its checkpoint to the head: `ahead` ranges in flight, committed in order, the
 * checkpoint with every batch.
 *
 * @throws FirnError `contract` when a range has a hole or does not follow the one before: nothing behind it is committed
 * @throws FirnError `unavailable` or `source_shrank` as `lookAtRange` says
 */
export async function readRange(stream: RangeStream, context: ReadContext): Promise<void> {
  const { partition } = context;
  const look = context.look ?? (await lookAtRange(stream, context, await context.saved()));
  const { head } = look;
  if (head === null) return noteEmpty(stream, context);
  const takesPart = stream.takesPart?.(partition) ?? false;
  const { healed, saved: found } = await healQuarantine(stream, context, look.saved, (at, position) =>
    at !== null && takesPart ? takenInPart(at, position) : at,
  );
  const { saved, failure } = found === null ? { saved: found } : await readWhole(stream, context, found);
  // The record right before the first one may be a row now.
  const previous = healed > 0 && found ? await lastRow(stream, context, found.next - 1) : look.previous;
  if (saved !== null) await noteBegin(stream, context, head);
  if (saved === null || saved.next <= head) {
    // A run without news asks for nothing more.
    if (saved !== null && failure === undefined) await askAgain(stream, context, saved);
    await readBehind(stream, context, { saved, head, previous, takesPart });
    if (stream.readsOn) await readOn(stream, context, { head, takesPart });
  }
  if (failure) throw failure;
}

/** Reads what came while all up to a head was read. */
async function readOn(
  stream: RangeStream,
  context: ReadContext,
  { head: before, takesPart }: Pick<Behind, 'head' | 'takesPart'>,
): Promise<void> {
  const saved = (await context.saved()) as RangePosition | null;
  // It was ended, or may not go as far as the source does.
  if (saved?.next !== before + 1 || context.signal.aborted) return;
  const head = await answer(stream.head(context.partition), context.fetch);
  if (head === null || head <= before) return;
  await readBehind(stream, context, { saved, head, previous: await lastRow(stream, context, before), takesPart });
}

/** Tells what there is to say of a source that holds nothing. */
export function noteEmpty(stream: RangeStream, { partition, note }: Pick<ReadContext, 'partition' | 'note'>): void {
  const remark = stream.whereEmpty?.(partition);
  if (remark) note?.(remark);
}

/** Where a range begins of which nothing was read; tells where that lies behind the source's end. */
export async function firstToRead(
  stream: RangeStream,
  { partition, fetch, brackets, note }: Pick<ReadContext, 'partition' | 'fetch' | 'brackets' | 'note'>,
  head: number,
): Promise<number> {
  if (stream.checkBegin) await answer(stream.checkBegin(partition, head), fetch);
  const first = await answer(stream.first(partition, head, brackets), fetch);
  if (first > head)
    note?.(
      `Nothing is read yet: it is to begin at ${stream.position} ${first} (from), and the source ends at ${head}.`,
    );
  return first;
}

interface Behind extends Pick<RangeLook, 'saved' | 'previous'> {
  readonly head: number;
  readonly takesPart: boolean;
}

/** Reads what lies behind the checkpoint. */
async function readBehind(
  stream: RangeStream,
  context: ReadContext,
  { saved, head, previous, takesPart }: Behind,
): Promise<void> {
  const { partition, fetch, brackets } = context;
  const first = saved?.next ?? (await firstToRead(stream, context, head));
  const last = stream.last ? await answer(stream.last(partition, first, head, brackets), fetch) : head;
  const missing = saved === null && first > 0 ? { from: 0, to: first - 1 } : undefined;
  const partFrom = saved?.partFrom ?? (takesPart ? first : undefined);
  const durable = (next: number): RangePosition => ({ next, ...(partFrom !== undefined && { partFrom }) });
  await readPositions(stream, context, { saved, first, last, previous, missing, durable });
}

/** What a source says that does not give an old position: it keeps nothing that is new from being read. */
const ofOld: readonly ErrorCode[] = ['unavailable', 'contract', 'failed'];

/**
 * Reads again what was taken in part before the settings changed.
 *
 * @returns the checkpoint behind it, and why the source does not give the rest
 */
async function readWhole(
  stream: RangeStream,
  context: ReadContext,
  saved: RangePosition,
): Promise<{ readonly saved: RangePosition; readonly failure?: FirnError }> {
  const { next } = saved;
  const first = await readAgainFrom(stream, context, saved);
  if (first === undefined) return { saved };
  await assertHolds(stream, context, next - 1);
  let reached = saved;
  const durable = (to: number): RangePosition => {
    reached = to < next ? { next, partFrom: to } : { next };
    return reached;
  };
  try {
    await readPositions(stream, context, { saved, first, last: next - 1, durable });
    return { saved: reached };
  } catch (failure) {
    if (!hasCode(failure, ...ofOld)) throw failure;
    return { saved: reached, failure: restRefused(stream, reached.partFrom ?? first, failure) };
  }
}

/** The error of a source that does not give what is left of what was taken in part. */
const restRefused = ({ position }: RangeStream, from: number, failure: FirnError) =>
  new FirnError(
    failure.code,
    `${withoutNext(failure)} From ${position} ${from} on it was read in part, before its settings changed, and is to be read whole; what is new is ` +
      'read all the same. Every run asks again: if this persists, point the source to a node that has it, or set back what was switched on.',
    { retryable: failure.retryable, context: { ...failure.context, next: undefined }, cause: failure },
  );

export interface PositionsRead {
  /** The checkpoint that the read began from. */
  readonly saved: Position | null;
  readonly first: number;
  readonly last: number;
  /** The row before the first one, to which it must be linked. */
  readonly previous?: Row | undefined;
  /** Positions right before the first one that the source lacks, where it may lack some. */
  readonly missing?: { readonly from: number; readonly to: number } | undefined;
  /** What to make durable when everything before a position is committed. */
  durable(next: number): Position;
}

/** Reads the positions from `first` to `last`, both included; the signal ends it after the range under way. */
export async function readPositions(stream: RangeStream, context: ReadContext, read: PositionsRead): Promise<void> {
  const { first, last } = read;
  if (first > last) return;
  const { size, ahead } = stream;
  const committer = new Committer(stream, context, read.saved);
  let { previous } = read;
  let next = first;
  const passesOver = stream.mayHaveGaps?.(context.partition) ?? false;
  if (passesOver && read.missing) committer.batch.noteGap(read.missing.from, read.missing.to);
  const take = (from: number, to: number) => takeRange(stream, context, { from, to, passesOver });
  try {
    for await (const range of fetchAhead({ first, last, size, ahead, signal: context.signal }, take)) {
      const { page } = range;
      const [apart] = brokenLinks(stream, previous, page.set.own, 1);
      if (apart && !passesOver) throw gapError(stream, range, apart);
      for (const { from, to } of apart ? [apart, ...range.gaps] : range.gaps) committer.batch.noteGap(from, to);
      context.seen(page.set.own);
      committer.batch.add(page, range.records, range);
      if (stream.enrichment) committer.batch.waitFor(context.enrich(stream.enrichment, page));
      next = range.hole ? range.hole.from : range.to + 1;
      if (range.hole) throw gapError(stream, range, range.hole);
      if (range.failure) throw range.failure;
      previous = page.set.own.last() ?? previous;
      await committer.commitIfFull(read.durable(next));
      context.progress(next - first, last - first + 1);
    }
  } finally {
    // What was read in order before an error or a signal is kept.
    await committer.finish(next > first ? read.durable(next) : null);
  }
}

/** What is read in ranges of at most `size` positions, `ahead` of them at once. */
interface Ahead {
  readonly first: number;
  readonly last: number;
  readonly size: number;
  readonly ahead: number;
  readonly signal: AbortSignal;
}

/** Ranges in order, with the next ones already asked for. Ends early when the signal is raised. */
async function* fetchAhead<T>(
  { first, last, size, ahead, signal }: Ahead,
  ask: (from: number, to: number) => Promise<T>,
): AsyncGenerator<T> {
  const inFlight: Promise<T>[] = [];
  let start = first;
  for (;;) {
    while (start <= last && inFlight.length < ahead && !signal.aborted) {
      const range = ask(start, Math.min(start + size - 1, last));
      // An error is thrown when its turn comes; until then it must not count as unhandled.
      range.catch(() => {});
      inFlight.push(range);
      start += size;
    }
    const range = inFlight.shift();
    if (!range) return;
    yield await range;
  }
}
