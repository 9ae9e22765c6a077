import { join } from 'node:path';
import { harmOf } from '../harmOf.ts';
import { ifWhole, lakeFolder, listVersions, readCurrent } from '../manifest.ts';

/** Whether a version is the newest one, and its files have their sizes. */
export async function isWhole(folder: string, version: number): Promise<boolean> {
  const current = await ifWhole(readCurrent(folder));
  if (current?.version !== version || (await listVersions(folder)).at(-1) !== version) return false;
  for (const file of current.tables.flatMap(({ files }) => files))
    if (await harmOf(join(lakeFolder(folder), file.path), file, false)) return false;
  return true;
}
