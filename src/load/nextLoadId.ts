import type { Transaction } from './transaction.ts';

/** The number of the next load: one above the highest. Called inside the load's transaction, so that a rollback leaves no gap. */
export async function nextLoadId(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ next: bigint }>('SELECT coalesce(max(load_id), 0) + 1 AS next FROM firn.load');
  return Number(row?.next ?? 1);
}
