import type { Values, Warehouse } from './warehouse.ts';

/** Runs an INSERT, UPDATE or DELETE, and gives how many rows it was about. */
export async function changedRows(
  warehouse: Pick<Warehouse, 'query'>,
  statement: string,
  values?: Values,
): Promise<number> {
  const [row] = await warehouse.query<{ Count: bigint }>(statement, values);
  return Number(row?.Count ?? 0n);
}
