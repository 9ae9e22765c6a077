import type { RangeStream } from '../../core/stream.ts';
import { answer } from '../sources/drive.ts';
import { healQuarantine } from './healQuarantine.ts';
import { assertHolds, lookAtRange, type RangePosition } from './lookAtRange.ts';
import type { ReadContext } from './partitionContext.ts';
import { readPositions } from './readPositions.ts';

/**
 * Reads a stream by position from its checkpoint to the head: `ahead` ranges in flight, committed in order, the
 * checkpoint with every batch.
 *
 * @throws FirnError `contract` when a range has a hole or does not follow the one before: nothing behind it is committed
 * @throws FirnError `source_shrank` when the head lies below the checkpoint, or the source lost what was read last
 */
export async function readRange(stream: RangeStream, context: ReadContext): Promise<void> {
  const { partition, fetch, brackets } = context;
  const { saved: found, head, previous } = context.look ?? (await lookAtRange(stream, context));
  if (head === null) return;
  await healQuarantine(stream, context, found);
  const takesPart = stream.takesPart?.(partition) ?? false;
  const saved = found === null || takesPart ? found : await readWhole(stream, context, found);
  if (saved !== null && saved.next > head) return;
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
