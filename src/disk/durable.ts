import { randomUUID } from 'node:crypto';
import { copyFile, lstat, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { makeFolder } from './makeFolder.ts';
import { removeLeft } from './removeLeft.ts';

/** Waits until a file's bytes are on the disk itself. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.sync().finally(() => handle.close());
}

/** Waits until a folder's entries (new and renamed files) are on the disk itself, where the system can do that. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  // Windows opens no folders; there a rename is durable by itself.
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Gives a file that is whole and synced its name, in place of what had it. */
export async function renameDurably(staged: string, path: string): Promise<void> {
  await rename(staged, path);
  await syncFolder(dirname(path));
}

/** Does the same where the file may lie on another disk than what it replaces. */
export async function moveDurably(staged: string, path: string): Promise<void> {
  const error = await renameDurably(staged, path).catch((thrown: NodeJS.ErrnoException) => thrown);
  if (!error) return;
  if (error.code !== 'EXDEV') throw error;
  const beside = `${path}.new`;
  // One that a killed process has left may be read-only.
  await rm(beside, { force: true });
  try {
    await copyFile(staged, beside);
    // It may be read-only, so not by `syncFile`.
    const handle = await open(beside);
    await handle.sync().finally(() => handle.close());
    await renameDurably(beside, path);
  } catch (failed) {
    await rm(beside, { force: true });
    throw failed;
  }
  await rm(staged, { force: true });
}

interface ReplaceOptions {
  /** Permissions of the file. */
  readonly mode?: number;
  /** Name it has until it is whole. */
  readonly staged?: string;
  /** False for a file that nobody needs after a power cut: syncing makes the disk's other writers wait. */
  readonly synced?: boolean;
}

/** Writes a small file so that a reader sees the old text or the new one, also after a power cut. Its folder is made where it is missing. */
export async function replaceFile(
  path: string,
  text: string,
  { mode = 0o666, staged = `${path}.new`, synced = true }: ReplaceOptions = {},
): Promise<void> {
  await makeFolder(dirname(path));
  // The file is made anew: what is there may be a link.
  await rm(staged, { force: true });
  try {
    const handle = await open(staged, 'wx', mode);
    await handle
      .writeFile(text)
      .then(() => (synced ? handle.sync() : undefined))
      .finally(() => handle.close());
    await (synced ? renameDurably : rename)(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
}

/** Names of files that this process is writing: where the machine slept, or its clock was set, they look as old as what was left. */
const writing = new Set<string>();

/** Writes a small file as `replaceFile` does, where several processes may write it at once; what killed ones have left of it goes. */
export async function replaceShared(path: string, text: string, mode?: number): Promise<void> {
  const staged = `${path}.${randomUUID()}.new`;
  writing.add(basename(staged));
  await replaceFile(path, text, { staged, ...(mode !== undefined && { mode }) }).finally(() =>
    writing.delete(basename(staged)),
  );
  const own = `${basename(path)}.`;
  const isLeft = (name: string) => name.startsWith(own) && isOwnStaged(name.slice(own.length)) && !writing.has(name);
  await removeLeft(dirname(path), isLeft);
}

const isOwnStaged = (rest: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/.test(rest);

/**
 * Writes a file that somebody named, whole or not at all. What is no file (a device, a pipe) is written into, and of a link what it leads to is
 * replaced: a rename would put a file in their place.
 */
export async function writeNamed(path: string, text: string): Promise<void> {
  // A link that leads nowhere yet is there all the same: what is written makes the file that it names.
  const found = await stat(path)
    .catch(() => lstat(path))
    .catch(() => undefined);
  if (found && !found.isFile()) return writeFile(path, text);
  await replaceShared(found ? await realpath(path) : path, text);
}
