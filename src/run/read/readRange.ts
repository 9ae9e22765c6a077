import { type ErrorCode, FirnError, hasCode, withoutNext } from '../../core/firnError.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { answer } from '../sources/drive.ts';
import { askAgain } from './askAgain.ts';
import { healQuarantine } from './healQuarantine.ts';
import { assertHolds, lastRow, lookAtRange } from './lookAtRange.ts';
import { noteBegin } from './noteBegin.ts';
import type { ReadContext } from './partitionContext.ts';
import { type RangeLook, type RangePosition, takenInPart } from './rangePosition.ts';
import { readPositions } from './readPositions.ts';
import { readAgainFrom } from './restUnread.ts';

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
