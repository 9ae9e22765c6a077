import { querySql } from '../load/querySql.ts';
import type { Statements } from '../load/transaction.ts';

/**
 * Checks the served series against themselves: the daily difference of cumulativeTxCount must be txCount. Also notes how far each series
 * is behind its chain, and how long its values kept changing. Runs inside the open transaction.
 *
 * @returns days on which they contradict each other
 */
export async function checkServed(warehouse: Statements): Promise<number> {
  for (const table of ['served_consistency', 'served_freshness'] as const) {
    await warehouse.run(`DELETE FROM mart.${table}; INSERT INTO mart.${table} ${querySql(table)}`);
  }
  const [row] = await warehouse.query<{ wrong: bigint }>(
    `SELECT count(*) AS wrong FROM mart.served_consistency WHERE NOT agrees`,
  );
  return Number(row?.wrong ?? 0);
}
