import { type ErrorCode, FirnError, messageOf } from '../core/firnError.ts';

const full =
  /ENOSPC|no space left|not enough space|disk quota|EDQUOT|Could not write|File too large|EFBIG|max_temp_directory_size/i;
/** A file stands where a folder is to be. */
const inTheWay = /\b(ENOTDIR|EEXIST)\b/;
const readOnly = /EROFS|read-only file system/i;
const denied = /EACCES|EPERM|permission denied/i;

/** Where a disk refuses to sync, DuckDB does not say why. */
const failing = /\bEIO\b|input\/output error|\bfsync failed/i;
const tooManyFiles = /\b(EMFILE|ENFILE)\b|too many open files/i;

/** At a commit DuckDB says only what did not fit, and how much was used; where it was writing into the tables, in all that is asked after it. */
const outOfMemory =
  /(?:Out of Memory Error: |Error: (?:Failed to commit: |Database "\w+" has been invalidated )(?=[^\n]*\(\S+ \S+\/\S+ \S+ used\)))([^\n]*)/;

/** Whether what did not fit has ended the database, which is to be attached again. */
export const endsDatabase = (error: unknown): boolean =>
  isOutOfMemory(error) && /database has been invalidated|has been invalidated because/i.test(messageOf(error));

/** What is wrong with a disk, as Node or DuckDB says it: it neither reads nor writes, has no room, may not be written, or has a file for a folder. */
export function diskTrouble(error: unknown): 'failing' | 'full' | 'readOnly' | 'denied' | 'blocked' | undefined {
  const text = `${(error as NodeJS.ErrnoException | null)?.code} ${messageOf(error)}`;
  // First: "Could not write" alone means a full disk, and stands before this, too.
  if (failing.test(text)) return 'failing';
  if (full.test(text)) return 'full';
  if (readOnly.test(text)) return 'readOnly';
  if (denied.test(text)) return 'denied';
  return inTheWay.test(text) ? 'blocked' : undefined;
}

/** Whether something did not fit into DuckDB's memory. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && (outOfMemory.test(error.message) || isOutOfMemory(error.cause));

const remedies = (elsewhere: string) => ({
  failing: 'the disk cannot be read or written. Check its health before you run again; what was committed stays',
  full: 'the disk is full. Free some space and run again; what was committed stays',
  readOnly: `the file system is read-only. Mount it for writing${elsewhere}`,
  denied: `no permission. Fix the permissions${elsewhere}`,
  blocked: `a file stands where a folder is to be, or a link that leads nowhere. Mount what it leads to, move it away${elsewhere}`,
});
const moreFiles = 'this process may not open more files. Raise the limit, such as with ulimit -n 1024, and run again';
const moreMemory =
  'DuckDB needs more memory than it may take. Raise memoryLimit in firn.yaml and run again; what was committed stays';

/**
 * What to do comes before what the system said, which may be long: where messages are cut it must not be lost.
 *
 * @param option that names another place
 * @returns the error as it is; FirnError `disk` where the disk is full or may not be written, `failed` where DuckDB's memory is too small, or no more
 *   files can be opened
 */
export function diskError(error: unknown, what: string, option = '--warehouse'): Error {
  if (error instanceof FirnError) return error;
  const message = messageOf(error);
  const told = (code: ErrorCode, sentence: string, said = message) =>
    new FirnError(code, `Could not ${what}: ${sentence}. (${said})`, { cause: error });
  const trouble = diskTrouble(error);
  if (trouble) return told('disk', remedies(`, or name another folder with ${option}`)[trouble]);
  if (tooManyFiles.test(message)) return told('failed', moreFiles);
  const [, short] = outOfMemory.exec(message) ?? [];
  if (short !== undefined) return told('failed', moreMemory, short.trim());
  return error instanceof Error ? error : new Error(message);
}
