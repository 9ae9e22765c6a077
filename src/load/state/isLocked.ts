import { existsSync } from 'node:fs';
import { openDuckDb } from '../database/openDuckDb.ts';

/**
 * Whether a process has a database open for writing. Its lock is the kernel's: every container of the machine meets it, and it ends with the
 * process. A process that has the database open itself must not ask: by the rules of POSIX it would lose its own lock.
 *
 * @returns undefined where the lock cannot tell
 */
export async function isLocked(file: string): Promise<boolean | undefined> {
  if (!existsSync(file)) return false;
  try {
    (await openDuckDb({ folders: [], file, config: { access_mode: 'READ_ONLY' } })).close();
    return false;
  } catch (error) {
    return /conflicting lock/i.test(String(error)) ? true : undefined;
  }
}
