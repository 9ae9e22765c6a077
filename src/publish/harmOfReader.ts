import { sha256File } from '../disk/sha256File.ts';
import { ifWhole, readCurrent } from './manifest.ts';

/** What is wrong with the bytes of a reader database; undefined where they are as published, or nothing says what they should be. */
export async function harmOfReader(folder: string, file: string): Promise<string | undefined> {
  const readers = (await ifWhole(readCurrent(folder)))?.readers;
  if (readers === undefined) return undefined;
  const sha256 = await sha256File(file);
  return readers.includes(sha256) ? undefined : `its SHA-256 is ${sha256}, published with ${readers.at(-1)}`;
}
