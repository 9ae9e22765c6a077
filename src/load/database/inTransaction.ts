interface Runs {
  run(sql: string): Promise<unknown>;
}

/**
 * Runs work in one transaction: committed where it succeeds, taken back where it throws or `keep` is false.
 *
 * @throws what the work throws: after a full disk the instance is dead, and a failed ROLLBACK has nothing to add
 */
export async function inTransaction<T>(connection: Runs, work: () => Promise<T>, keep = true): Promise<T> {
  await connection.run('BEGIN TRANSACTION');
  try {
    const result = await work();
    await (keep ? commit(connection) : connection.run('ROLLBACK'));
    return result;
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Commits the open transaction. COMMIT of one in which a statement failed takes everything back without a word: a statement before it
 * fails then.
 */
export const commit = (connection: Runs): Promise<unknown> => connection.run('SELECT 1; COMMIT');
