import { dirname } from 'node:path';
import { type ErrorCode, FirnError, messageOf } from '../../core/firnError.ts';
import { diskError } from '../diskError.ts';
import { heldBy } from './holdWarehouse.ts';
import { isLockError } from './isLockError.ts';

/** What an error of opening a state database means: `locked`, `newer_warehouse`, `disk`, or that it is damaged. */
export async function openError(error: unknown, file: string): Promise<Error> {
  const message = messageOf(error);
  // Only this is looked through: a folder may be called `corrupt`.
  const said = message.replaceAll(file, '');
  const told = (code: ErrorCode, sentences: string) => new FirnError(code, sentences, { cause: error });
  if (isLockError(said)) {
    // DuckDB's wording where nobody holds a lock, and none can be had.
    if (/not supported|held in PID 0\b/i.test(said))
      return told(
        'disk',
        `Could not lock ${file}: its file system has no locks, or does not tell who holds one. Put the warehouse on a disk of this machine, or mount the share with locks.`,
      );
    const pid = Number(/PID (\d+)/.exec(said)?.[1]);
    return heldBy(dirname(dirname(file)), pid ? { pid } : {});
  }
  if (/WAL (?:checkpoint iteration )?does not match/.test(said))
    return told(
      'failed',
      `The log ${file}.wal does not belong to the state beside it: the state was probably restored from a copy, or moved without its log. Move the log away and run again.`,
    );
  if (/newer version|storage version|version number|serialization/i.test(said))
    return told(
      'newer_warehouse',
      `The warehouse ${file} was written by a newer version (${message.trim()}). Upgrade firn and run again.`,
    );
  if (/corrupt|not a valid DuckDB|could not read enough bytes/i.test(said))
    return told(
      'failed',
      `The warehouse ${file} is damaged (${message.trim()}). Restore it from a backup, or move it away, with its .wal, and run again: ` +
        'everything is then read again, and what was published stays readable meanwhile.',
    );
  return diskError(error, `open ${file}`);
}
