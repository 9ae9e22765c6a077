import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FirnError } from '../core/firnError.ts';

/** Puts a file's bytes on the disk itself. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts a folder's entries (new and renamed files) on the disk itself, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  // Windows opens no folders; there a rename is durable by itself.
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

interface WriteOptions {
  /** Permissions of the file. */
  readonly mode?: number;
  /** Name it has until it is whole: one for each writer, where several processes may write the file at once. */
  readonly staged?: string;
}

/** Writes a small file so that a reader sees the old text or the new one, also after a power cut. Its folder is made where it is missing. */
export async function writeDurably(
  path: string,
  text: string,
  { mode = 0o666, staged = `${path}.new` }: WriteOptions = {},
): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  // Made anew: what lies there may be a link.
  await rm(staged, { force: true });
  try {
    const handle = await open(staged, 'wx', mode);
    await handle
      .writeFile(text)
      .then(() => handle.sync())
      .finally(() => handle.close());
    await rename(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** For `staged`: a name that nobody else writes to. */
export const ownStaged = (path: string): string => `${path}.${randomUUID()}.new`;

/** SHA-256 of a file, in hex. */
export async function sha256File(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const refused = new Set(['EACCES', 'EPERM', 'EROFS', 'EIO']);
const fullText = /no space left|not enough space|disk quota|file too large|max_temp_directory_size/i;
const refusedText = /permission denied|read-only file system|input\/output error/i;

/** FirnError `disk` for a full or unwritable disk, whether Node or DuckDB met it; any other error as it is. */
export function publishError(error: unknown, what: string): unknown {
  if (error instanceof FirnError) return error;
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException;
  if (full.has(code) || fullText.test(message)) {
    return new FirnError(
      'disk',
      `Could not ${what}: the disk is full (${message}). The version published before stays; free some space and run \`firn publish\` again.`,
      { cause: error },
    );
  }
  if (refused.has(code) || refusedText.test(message)) {
    return new FirnError(
      'disk',
      `Could not ${what}: ${message}. The version published before stays; mend the permissions and run \`firn publish\` again.`,
      { cause: error },
    );
  }
  return error;
}
