import { FirnError, messageOf } from '../core/firnError.ts';
import { writeNamed } from '../disk/durable.ts';
import { diskTrouble } from '../load/diskError.ts';

/**
 * Writes what a command was asked for into the file that was named, whole or not at all.
 *
 * @throws FirnError `disk`
 */
export async function writeOut(file: string, text: string): Promise<void> {
  try {
    await writeNamed(file, text);
  } catch (error) {
    throw couldNotWrite(file, error);
  }
}

/** Why a file or folder that was named is not there, and what helps. */
export function couldNotWrite(file: string, error: unknown, kind: 'file' | 'folder' = 'file'): FirnError {
  const next = diskTrouble(error) === 'full' ? 'Free some space' : `Name a ${kind} that can be written`;
  return new FirnError('disk', `Could not write ${file}: ${messageOf(error)}. ${next}.`, { cause: error });
}
