import type { Dirent } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { removeOld } from './removeLeft.ts';

/** What works in such a folder is over after a day. */
const oldMs = 2 * 86_400_000;

/**
 * Makes a folder for the time of one piece of work, and removes those of the same prefix that killed processes have left.
 *
 * @param prefix path, to which six characters are added
 */
export async function temporaryFolder(prefix: string): Promise<string> {
  const name = basename(prefix);
  const isLeft = (entry: Dirent) =>
    entry.isDirectory() && entry.name.startsWith(name) && entry.name.length === name.length + 6;
  await removeOld(dirname(prefix), isLeft, oldMs);
  return mkdtemp(prefix);
}
