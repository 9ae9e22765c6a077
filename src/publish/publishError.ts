import { FirnError } from '../core/firnError.ts';
import { isFailingDisk } from '../load/diskError.ts';

const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const refused = new Set(['EACCES', 'EPERM', 'EROFS']);
const fullText = /no space left|not enough space|disk quota|file too large|max_temp_directory_size/i;
const refusedText = /permission denied|read-only file system/i;

/** FirnError `disk` for a full or unwritable disk, whether Node or DuckDB met it; any other error as it is. */
export function publishError(error: unknown, what: string): unknown {
  if (error instanceof FirnError) return error;
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException;
  if (full.has(code) || fullText.test(message)) {
    return new FirnError(
      'disk',
      `Could not ${what}: the disk is full. The version published before stays; free some space and run \`firn publish\` again. (${message})`,
      { cause: error },
    );
  }
  if (refused.has(code) || refusedText.test(message)) {
    return new FirnError(
      'disk',
      `Could not ${what}: ${message}. The version published before stays; fix the permissions and run \`firn publish\` again.`,
      { cause: error },
    );
  }
  if (isFailingDisk(error)) {
    return new FirnError(
      'disk',
      `Could not ${what}: the disk cannot be read or written. The version published before stays; check the disk's health before you run \`firn publish\` again. (${message})`,
      { cause: error },
    );
  }
  return error;
}

/** @throws FirnError `interrupted` once the signal is there */
export function stopIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (!signal?.aborted) return;
  throw new FirnError('interrupted', `${what} was stopped; what is published did not change.`, {
    context: { signal: signal.reason },
  });
}
