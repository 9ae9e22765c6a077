import { FirnError, messageOf } from '../core/firnError.ts';
import { diskTrouble } from '../load/diskError.ts';

/** FirnError `disk` for a full or unwritable disk, whether Node or DuckDB met it; any other error as it is. */
export function publishError(error: unknown, what: string): unknown {
  if (error instanceof FirnError) return error;
  const message = messageOf(error);
  const again = 'run `firn publish` again';
  const told = {
    full: `the disk is full. What readers see stays whole; free some space and ${again}. (${message})`,
    readOnly: `the file system is read-only. What readers see stays whole; mount it for writing and ${again}. (${message})`,
    denied: `${message}. What readers see stays whole; fix the permissions and ${again}.`,
    blocked: `a file stands where a folder is to be. What readers see stays whole; move the file away and ${again}. (${message})`,
    failing: `the disk cannot be read or written. What readers see stays whole; check the disk's health before you ${again}. (${message})`,
  };
  const trouble = diskTrouble(error);
  return trouble ? new FirnError('disk', `Could not ${what}: ${told[trouble]}`, { cause: error }) : error;
}
