import type { Dirent } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolder } from './listFolder.ts';

/** Whoever writes a small file is done after seconds. */
const oldMs = 3_600_000;

/** Removes files of a folder that processes have left which were killed while they wrote. One that may still be written stays. */
export const removeLeft = (folder: string, isLeft: (name: string) => boolean): Promise<void> =>
  removeOld(folder, (entry) => entry.isFile() && isLeft(entry.name), oldMs);

/** Removes what of a folder was left, and not changed for a time, as far as this process may. @param ms that time */
export async function removeOld(folder: string, isLeft: (entry: Dirent) => boolean, ms: number): Promise<void> {
  const entries = await listFolder(folder).catch(() => []);
  for (const { name } of entries.filter(isLeft)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.NaN }));
    // In a folder for all, others' are theirs to remove.
    if (Date.now() - mtimeMs > ms) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
