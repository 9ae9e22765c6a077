import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolder } from '../../disk/listFolder.ts';
import { versionOfFile } from '../files/writeUnit.ts';

/**
 * Removes the files below a folder that publish made, and the folders that are then empty. All others stay, and so does what begins with `_`.
 *
 * @param kept paths of files that stay, with `/`
 * @returns files removed
 */
export async function removeFiles(folder: string, kept: ReadonlySet<string>, relative = ''): Promise<number> {
  let removed = 0;
  for (const entry of await listFolder(join(folder, relative))) {
    const path = relative ? `${relative}/${entry.name}` : entry.name;
    if (entry.isDirectory() && !(relative === '' && entry.name.startsWith('_'))) {
      removed += await removeFiles(folder, kept, path);
      // Only an empty folder goes.
      await rmdir(join(folder, path)).catch(() => undefined);
    } else if (versionOfFile(entry.name) !== undefined && !kept.has(path)) {
      await rm(join(folder, path), { force: true });
      removed++;
    }
  }
  return removed;
}
