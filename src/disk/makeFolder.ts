import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder that somebody named, and those above it, where they are missing. Node's own recursive `mkdir` never ends below a folder that
 * is there but takes none, such as /proc, and on a full disk Node 20's says ENOENT.
 *
 * @throws Error with the code of the system, for such a folder EPERM
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const isThere = () =>
    stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
  const parent = dirname(folder);
  const make = () => mkdir(folder, mode);
  const error = await make().catch((thrown: NodeJS.ErrnoException) => thrown);
  if (error === undefined || (await isThere())) return;
  if (error.code !== 'ENOENT' || parent === folder) throw error;
  await makeFolder(parent, mode);
  await make().catch(async (again: NodeJS.ErrnoException) => {
    if (await isThere()) return;
    if (again.code !== 'ENOENT') throw again;
    throw Object.assign(new Error(`EPERM: no folder can be made in ${parent}`, { cause: again }), { code: 'EPERM' });
  });
}
