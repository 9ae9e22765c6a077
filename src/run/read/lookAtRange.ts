import type { Row } from '../../core/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import { partitionKey, type RangeStream } from '../../core/stream.ts';
import { readCheckpoint } from '../../load/checkpoints.ts';
import { answer } from '../sources/drive.ts';
import { assertHolds } from './assertHolds.ts';
import type { ReadContext } from './partitionContext.ts';

/** Checkpoint of a range stream: the next position to read, and the first one of which only a part was taken. */
export type RangePosition = {
  readonly next: number;
  readonly partFrom?: number;
};

/** A range stream before it is read. */
export interface RangeLook {
  readonly saved: RangePosition | null;
  /** Last position of the source; null where it has none. */
  readonly head: number | null;
  /** The row that was read last, where the source was asked about it. */
  readonly previous: Row | undefined;
}

/**
 * Asks for the head, and where there is something to read whether the source still holds what was read last. Nothing is written.
 *
 * @throws FirnError `source_shrank` when the head lies below the checkpoint, or the source lost what was read last
 */
export async function lookAtRange(stream: RangeStream, context: ReadContext): Promise<RangeLook> {
  const { partition, fetch, warehouse } = context;
  const saved = await readCheckpoint<RangePosition>(warehouse, stream.id, partitionKey(partition));
  const head = await answer(stream.head(partition), fetch);
  if (saved === null || head === null) {
    if (saved !== null) throw shrunk(stream, context, head, saved);
    return { saved, head, previous: undefined };
  }
  if (head < saved.next - 1) throw shrunk(stream, context, head, saved);
  const previous = saved.next > head ? undefined : await assertHolds(stream, context, saved.next - 1);
  return { saved, head, previous };
}

function shrunk(stream: RangeStream, context: ReadContext, head: number | null, saved: RangePosition): FirnError {
  return new FirnError(
    'source_shrank',
    `${stream.id} (${partitionKey(context.partition)}): the source ends at ${head ?? 'nothing'}, but ${saved.next - 1} was read from it before. ` +
      'Its index was wiped or another node answers. Nothing was changed: wait until the node has caught up, or begin a new warehouse.',
  );
}
