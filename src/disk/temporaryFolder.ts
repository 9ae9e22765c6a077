import { mkdtemp, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { listFolder } from './listFolder.ts';

/** What works in such a folder is over after a day. */
const oldMs = 2 * 86_400_000;

/**
 * Makes a folder for the time of one piece of work, and removes those of the same prefix that killed processes have left.
 *
 * @param prefix path, to which six characters are added
 */
export async function temporaryFolder(prefix: string): Promise<string> {
  const name = basename(prefix);
  const there = await listFolder(dirname(prefix)).catch(() => []);
  for (const entry of there) {
    if (!entry.isDirectory() || !entry.name.startsWith(name) || entry.name.length !== name.length + 6) continue;
    const path = join(dirname(prefix), entry.name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.NaN }));
    // In a folder for all, others' are theirs to remove.
    if (Date.now() - mtimeMs > oldMs) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
  return mkdtemp(prefix);
}
