import { fromCheckpointKey } from '../../core/stream/checkpointKey.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';

/** Where a partition stands, or a backfill of it. */
interface Checkpoint {
  readonly stream: string;
  readonly partition: string;
  /** The name of the backfill that stands there. */
  readonly beside: string | undefined;
  readonly position: string;
}

/** All checkpoints of a warehouse, in the order of their streams and partitions. */
export async function checkpointsOf({ query }: Pick<Warehouse, 'query'>): Promise<Checkpoint[]> {
  const rows = await query<{ stream: string; partition: string; position: string }>(
    'SELECT stream, "partition", "position" FROM firn.checkpoint ORDER BY 1, 2',
  );
  return rows.map(({ stream, partition, position }) => ({ stream, position, ...fromCheckpointKey(partition) }));
}
