import type { Position } from '../core/stream.ts';
import type { Warehouse } from './warehouse.ts';

/** The durable position of a partition, null where it was never read. */
export async function readCheckpoint(
  warehouse: Warehouse,
  stream: string,
  partition: string,
): Promise<Position | null> {
  const [row] = await warehouse.query<{ position: string }>(
    'SELECT "position" FROM firn.checkpoint WHERE stream = $1 AND "partition" = $2',
    [stream, partition],
  );
  return row ? (JSON.parse(row.position) as Position) : null;
}

/** Canonical text of a position: members in order of their names. */
export function positionText(position: Position | null): string | null {
  if (position === null) return null;
  return JSON.stringify(position, (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
