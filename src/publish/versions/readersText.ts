import { lstat, stat } from 'node:fs/promises';
import { readerTargets } from '../reader/readerPaths.ts';
import { currentFolder } from './linkVersion.ts';

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
