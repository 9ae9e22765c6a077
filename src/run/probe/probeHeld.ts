import type { NetworkFacts } from '../../core/stream/network.ts';
import { partitionKey } from '../../core/stream/partition.ts';
import type { Stream } from '../../core/stream/stream.ts';
import { readCheckpoint } from '../../load/commit/checkpoints.ts';
import { lookAtList } from '../read/lookAtList.ts';
import { lookAtRange } from '../read/lookAtRange.ts';
import type { LookContext, ReadContext } from '../read/partitionContext.ts';
import { isChained } from '../read/sameChain.ts';

/**
 * Looks whether a source still has what was read of a partition, as a sync does before it takes anything.
 *
 * @throws FirnError as `lookAtRange` and `createSameChain` say
 */
export async function probeHeld(
  stream: Stream,
  context: LookContext & Pick<ReadContext, 'now'>,
  network: NetworkFacts,
): Promise<void> {
  const saved = await readCheckpoint(context.warehouse, stream.id, partitionKey(context.partition));
  if (saved === null) return;
  if (stream.way === 'range') await lookAtRange(stream, context, saved);
  else if (isChained(stream)) await lookAtList(stream, context, network, saved);
}
