import { FirnError } from '../core/firnError.ts';
import { type Position, partitionKey, type RangeStream } from '../core/stream.ts';
import { readCheckpoint } from '../load/checkpoints.ts';
import { assertHolds } from './assertHolds.ts';
import { answer } from './fetch.ts';
import { healQuarantine } from './healQuarantine.ts';
import type { ReadContext } from './partitionContext.ts';
import { readPositions } from './readPositions.ts';

/** Checkpoint of a range stream: the next position to read, and the first one of which only a part was taken. */
interface RangePosition extends Position {
  readonly next: number;
  readonly partFrom?: number;
}

/**
 * Reads a stream by position from its checkpoint to the head: `ahead` ranges in flight, committed in order, the
 * checkpoint with every batch.
 *
 * @throws FirnError `contract` when a range has a hole or does not follow the one before: nothing behind it is committed
 * @throws FirnError `source_shrank` when the head lies below the checkpoint, or the source lost what was read last
 */
export async function readRange(stream: RangeStream, context: ReadContext): Promise<void> {
  const { partition, fetch, warehouse, brackets } = context;
  const found = (await warehouse.exclusive(() =>
    readCheckpoint(warehouse, stream.id, partitionKey(partition)),
  )) as RangePosition | null;
  await healQuarantine(stream, context, found);
  const head = await answer(stream.head(partition), fetch);
  if (head === null && found === null) return;
  if (found !== null && (head ?? -1) < found.next - 1) throw shrunk(stream, context, head, found);
  const takesPart = stream.takesPart?.(partition) ?? false;
  const saved = found === null || takesPart ? found : await readWhole(stream, context, found);
  if (head === null || (saved !== null && saved.next > head)) return;
  const previous = saved === null ? undefined : await assertHolds(stream, context, saved.next - 1);
  const first = saved?.next ?? (await answer(stream.first(partition, head, brackets), fetch));
  const last = stream.last ? await answer(stream.last(partition, first, head, brackets), fetch) : head;
  const missing = saved === null && first > 0 ? { from: 0, to: first - 1 } : undefined;
  const partFrom = saved?.partFrom ?? (takesPart ? first : undefined);
  const durable = (next: number): RangePosition => ({ next, ...(partFrom !== undefined && { partFrom }) });
  await readPositions(stream, context, { saved, first, last, previous, missing, durable });
}

/** Reads again what was taken in part before the settings changed. */
async function readWhole(stream: RangeStream, context: ReadContext, saved: RangePosition): Promise<RangePosition> {
  const { next, partFrom } = saved;
  if (partFrom === undefined) return saved;
  await assertHolds(stream, context, next - 1);
  let reached = saved;
  const durable = (to: number): RangePosition => {
    reached = to < next ? { next, partFrom: to } : { next };
    return reached;
  };
  await readPositions(stream, context, { saved, first: partFrom, last: next - 1, durable });
  return reached;
}

function shrunk(stream: RangeStream, context: ReadContext, head: number | null, saved: RangePosition): FirnError {
  return new FirnError(
    'source_shrank',
    `${stream.id} (${partitionKey(context.partition)}): the source ends at ${head ?? 'nothing'}, but ${saved.next - 1} was read from it before. ` +
      'Its index was wiped or another node answers. Nothing was changed: wait until the node has caught up, or begin a new warehouse.',
  );
}
