import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { harmOf } from './harmOf.ts';
import { currentFolder } from './linkVersion.ts';
import { ifWhole, lakeFolder, listVersions, readCurrent } from './manifest.ts';
import { readerTargets } from './readerPaths.ts';

/** A text that stands for the files readers open, as they lie on the disk: other files, or changed ones, have another text. */
export async function readersText(folder: string, root: string | undefined): Promise<string> {
  const targets = await readerTargets(folder, root);
  const files = await Promise.all(
    targets.map(async ({ file, root: shown }) => {
      const found = await stat(file).catch(() => undefined);
      return [file, shown, found?.ino, found?.mtimeMs, found?.size];
    }),
  );
  const shown = await lstat(currentFolder(folder)).catch(() => undefined);
  return JSON.stringify([...files, shown?.ino]);
}

/** Whether a version is the newest one, and its files have their sizes. */
export async function isWhole(folder: string, version: number): Promise<boolean> {
  const current = await ifWhole(readCurrent(folder));
  if (current?.version !== version || (await listVersions(folder)).at(-1) !== version) return false;
  for (const file of current.tables.flatMap(({ files }) => files)) {
    if (await harmOf(join(lakeFolder(folder), file.path), file, false)) return false;
  }
  return true;
}
