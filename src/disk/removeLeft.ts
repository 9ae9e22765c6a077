import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolder } from './listFolder.ts';

/** Whoever writes a small file is done after seconds. */
const oldMs = 3_600_000;

/** Removes files of a folder that processes have left which were killed while they wrote. One that may still be written stays. */
export async function removeLeft(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  const entries = await listFolder(folder).catch(() => []);
  for (const { name } of entries.filter((entry) => entry.isFile() && isLeft(entry.name))) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.NaN }));
    if (Date.now() - mtimeMs > oldMs) await rm(path, { force: true }).catch(() => {});
  }
}
