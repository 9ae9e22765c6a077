import type { DailyUsage } from '../extract/limiter.ts';
import type { Warehouse } from '../load/warehouse.ts';

/** Compute units of a source's newest day in the state. */
export async function readQuota(warehouse: Warehouse, source: string): Promise<DailyUsage | undefined> {
  const [row] = await warehouse.query<{ day: string; units: bigint }>(
    'SELECT "day"::VARCHAR AS "day", units FROM firn.quota WHERE source = $1 ORDER BY "day" DESC LIMIT 1',
    [source],
  );
  return row && { day: row.day, used: Number(row.units) };
}

/**
 * Adds what was spent since `before` was read to a source's used compute units of the day: another run may have added its
 * own meanwhile.
 */
export function addQuota(
  warehouse: Warehouse,
  source: string,
  { day, used }: DailyUsage,
  before: DailyUsage | undefined,
): Promise<void> {
  const spent = used - (before?.day === day ? before.used : 0);
  return warehouse.exclusive(async () => {
    if (spent <= 0) return;
    const now = await readQuota(warehouse, source);
    const units = spent + (now?.day === day ? now.used : 0);
    await warehouse.run('DELETE FROM firn.quota WHERE source = $1 AND "day" = $2::DATE', [source, day]);
    await warehouse.run('INSERT INTO firn.quota VALUES ($1, $2::DATE, $3)', [source, day, BigInt(units)]);
  });
}
