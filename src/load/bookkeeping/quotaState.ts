import type { DailyUsage } from '../../core/requests/dailyUsage.ts';
import type { Statements } from '../database/transaction.ts';
import type { Warehouse } from '../state/warehouse.ts';

/** Compute units of a source's day in the state. @param day YYYY-MM-DD, UTC */
export async function readQuota(state: Pick<Statements, 'query'>, source: string, day: string): Promise<DailyUsage> {
  const [row] = await state.query<{ units: bigint }>(
    'SELECT units FROM firn.quota WHERE source = $1 AND "day" = $2::DATE',
    [source, day],
  );
  return { day, used: Number(row?.units ?? 0) };
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
    const units = spent + (await readQuota(tx, source, day)).used;
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
