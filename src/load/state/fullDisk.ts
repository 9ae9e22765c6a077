import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { stateFile } from './stateFile.ts';

/**
 * What to do where the disk of a state has not one byte left, as a sentence: a run that ends there cannot note even that. Null where it has some, or
 * where nothing of it may be written anyway.
 */
export async function fullDisk(warehouse: string): Promise<string | null> {
  try {
    await access(stateFile(warehouse), constants.W_OK);
    const { blocks, bfree, bavail } = await statfs(warehouse);
    // Some blocks may be left to root alone. A drive that does not tell its room says that it has none at all.
    const room = process.getuid?.() === 0 ? bfree : bavail;
    if (room > 0 || blocks === 0) return null;
  } catch {
    return null;
  }
  return `The disk of ${warehouse} is full: no run can read anything, or note how it ended. Free some space and run again; what was committed stays.`;
}
