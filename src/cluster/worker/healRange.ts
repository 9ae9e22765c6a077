import type { Position } from '../../core/stream/partition.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { healQuarantine } from '../../run/read/healQuarantine.ts';
import type { ReadContext } from '../../run/read/partitionContext.ts';
import type { Lease } from '../contract.ts';
import type { LeaseContext } from './leaseContext.ts';
import { rowsInLake } from './rowsInLake.ts';

/** Asks again for what is in quarantine. It must fit the rows beside it, so not while some are on their way to the engine. */
export async function healRange(
  stream: RangeStream,
  context: ReadContext,
  lease: Lease,
  { ledger, lake }: LeaseContext,
): Promise<void> {
  const { name } = stream.table;
  if ((await ledger.pendingTables()).includes(name)) return;
  const behind = async (saved: Position | null, position: number) => {
    if (stream.takesPart?.(context.partition)) await ledger.takeInPart(lease, position);
    return saved;
  };
  await healQuarantine(stream, context, lease.cursor, behind, rowsInLake(lake));
}
