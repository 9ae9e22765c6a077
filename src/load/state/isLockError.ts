/**
 * Whether DuckDB could not open a database because of another process, or for want of locks. Not just "lock": that is in the names of folders
 * called "blockchain".
 */
export const isLockError = (error: unknown): boolean =>
  /could not set lock|conflicting lock|being used by another process/i.test(String(error));
