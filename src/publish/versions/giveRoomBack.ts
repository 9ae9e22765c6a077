import { existsSync } from 'node:fs';
import { ifWhole, readCurrent } from '../manifest.ts';
import { localReaderFile, readerFile } from '../reader/readerPaths.ts';
import { readerVersion } from '../reader/readerVersion.ts';
import { removeUnreferenced } from './removeUnreferenced.ts';

/**
 * Removes what a publish wrote before the disk was full, unless readers see it already: it would take the room without which the state does
 * not even open again. What cannot be removed is left to the next publish.
 */
export async function giveRoomBack(folder: string): Promise<void> {
  const files = [readerFile(folder), localReaderFile(folder)].filter(existsSync);
  const readers = await Promise.all(files.map(readerVersion));
  const shown = Math.max((await ifWhole(readCurrent(folder)))?.version ?? 0, ...readers);
  // One that cannot tell what it shows may show the newest.
  await removeUnreferenced(folder, (version) => version <= shown || readers.includes(0));
}
