import type { Position } from '../../core/stream/partition.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import type { Batch } from '../../load/commit/batch.ts';
import { commitBatch } from '../../load/commit/commit.ts';
import type { ReadContext } from './partitionContext.ts';

/** Commits what was read again beside the read of what is new, and counts it. The checkpoint goes from `from` to `to`. */
export async function commitBeside<At extends Position>(
  stream: RangeStream,
  context: ReadContext,
  batch: Batch,
  { from, to }: { readonly from: At | null; readonly to: At | null },
): Promise<void> {
  const { warehouse, partition, runId } = context;
  const commit = { stream, partition, runId, batch, from, to, requests: context.takeRequests() };
  const { rows, childRows } = await commitBatch(warehouse, commit);
  context.committed({ rows, childRows, quarantined: 0, bytes: batch.bytes });
}
