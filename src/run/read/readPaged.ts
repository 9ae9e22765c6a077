import { type PagedStream, partitionKey } from '../../core/stream.ts';
import { readCheckpoint } from '../../load/checkpoints.ts';
import type { ReadContext } from './partitionContext.ts';
import { readPages } from './readPages.ts';

/**
 * Reads a stream page by page as its generator says. Pages gather until a batch is full; each commit carries the newest
 * position that covers all its pages, or leaves the checkpoint where it was.
 */
export async function readPaged(stream: PagedStream, context: ReadContext): Promise<void> {
  const { partition, warehouse } = context;
  const saved = await readCheckpoint(warehouse, stream.id, partitionKey(partition));
  await readPages(stream, context, {
    saved,
    pages: stream.pages(partition, { position: saved, now: context.now(), brackets: context.brackets }, context.state),
    durable: (position) => position,
  });
}
