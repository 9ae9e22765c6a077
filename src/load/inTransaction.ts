import type { Warehouse } from './warehouse.ts';

/**
 * Runs work in one transaction: committed where it succeeds, taken back where it throws or `keep` is false.
 *
 * @throws what the work throws: after a full disk the instance is dead, and a failed ROLLBACK has nothing to add
 */
export async function inTransaction<T>(
  warehouse: Pick<Warehouse, 'run'>,
  work: () => Promise<T>,
  keep = true,
): Promise<T> {
  await warehouse.run('BEGIN TRANSACTION');
  try {
    const result = await work();
    await warehouse.run(keep ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    await warehouse.run('ROLLBACK').catch(() => {});
    throw error;
  }
}
