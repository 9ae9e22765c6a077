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

/** Keeps a source's used compute units of a day. */
export function writeQuota(warehouse: Warehouse, source: string, { day, used }: DailyUsage): Promise<void> {
  return warehouse.exclusive(async () => {
    await warehouse.run('DELETE FROM firn.quota WHERE source = $1 AND "day" = $2::DATE', [source, day]);
    if (used > 0) await warehouse.run('INSERT INTO firn.quota VALUES ($1, $2::DATE, $3)', [source, day, BigInt(used)]);
  });
}
