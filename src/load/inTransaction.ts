/**
 * Runs work in one transaction: committed where it succeeds, taken back where it throws or `keep` is false.
 *
 * @throws what the work throws: after a full disk the instance is dead, and a failed ROLLBACK has nothing to add
 */
export async function inTransaction<T>(
  connection: { run(sql: string): Promise<unknown> },
  work: () => Promise<T>,
  keep = true,
): Promise<T> {
  await connection.run('BEGIN TRANSACTION');
  try {
    const result = await work();
    await connection.run(keep ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {});
    throw error;
  }
}
