import { type FileHandle, stat } from 'node:fs/promises';
import { sha256File } from '../disk/sha256File.ts';
import { ifWhole, type ManifestFile, readCurrent } from './manifest.ts';

/**
 * What is wrong with a published file, or undefined when it is as it was published.
 *
 * @param rehash also read and hash it; else only its size counts
 */
export async function harmOf(
  path: string,
  file: Pick<ManifestFile, 'bytes' | 'sha256'>,
  rehash: boolean,
): Promise<{ readonly missing: boolean; readonly message: string } | undefined> {
  const missing = { missing: true, message: 'the file is missing' };
  const found = await stat(path).catch(() => undefined);
  if (!found) return missing;
  if (found.size !== file.bytes)
    return { missing: false, message: `${found.size} bytes, published with ${file.bytes}` };
  const sha256 = rehash ? await sha256File(path).catch(goneMeanwhile) : file.sha256;
  if (sha256 === undefined) return missing;
  return sha256 === file.sha256
    ? undefined
    : { missing: false, message: `its SHA-256 is ${sha256}, published with ${file.sha256}` };
}

/** A publish may remove a file of an old version while it is looked at. */
function goneMeanwhile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** What is wrong with the bytes of a reader database; undefined where they are as published, or where it is not known what they should be. */
export async function harmOfReader(folder: string, file: string | FileHandle): Promise<string | undefined> {
  const readers = (await ifWhole(readCurrent(folder)))?.readers;
  if (readers === undefined) return undefined;
  const sha256 = await sha256File(file);
  return readers.includes(sha256) ? undefined : `its SHA-256 is ${sha256}, published with ${readers.at(-1)}`;
}
