import type { Statements } from './transaction.ts';
import type { Warehouse } from './warehouse.ts';

/** Compute units that were spent on a day. */
interface DailyUsage {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly used: number;
}

/** Compute units of a source's newest day in the state. */
export async function readQuota(state: Pick<Statements, 'query'>, source: string): Promise<DailyUsage | undefined> {
  const [row] = await state.query<{ day: string; units: bigint }>(
    'SELECT "day"::VARCHAR AS "day", units FROM firn.quota WHERE source = $1 ORDER BY "day" DESC LIMIT 1',
    [source],
  );
  return row && { day: row.day, used: Number(row.units) };
}

/**
 * Adds what was spent since `before` was read to a source's used compute units of the day: another run may have added its
 * own meanwhile.
 */
export async function addQuota(
  warehouse: Warehouse,
  source: string,
  { day, used }: DailyUsage,
  before: DailyUsage | undefined,
): Promise<void> {
  const spent = used - (before?.day === day ? before.used : 0);
  if (spent <= 0) return;
  await warehouse.transaction(async (tx) => {
    const now = await readQuota(tx, source);
    const units = spent + (now?.day === day ? now.used : 0);
    await tx.run('DELETE FROM firn.quota WHERE source = $1 AND "day" = $2::DATE', [source, day]);
    await tx.run('INSERT INTO firn.quota VALUES ($1, $2::DATE, $3)', [source, day, BigInt(units)]);
  });
}

/**
 * Adds to the state what a source has spent since it was added last; one after the other, also where several ask for it.
 *
 * @param before what the state held when the source was opened
 */
export function quotaKeeper(
  source: string,
  usage: () => DailyUsage,
  before: DailyUsage | undefined,
): (state: Warehouse) => Promise<void> {
  let kept = before;
  let last: Promise<void> = Promise.resolve();
  return (state) => {
    last = last
      .catch(() => {})
      .then(async () => {
        const now = usage();
        await addQuota(state, source, now, kept);
        kept = now;
      });
    return last;
  };
}
