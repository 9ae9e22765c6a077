import { constants } from 'node:fs';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { renameDurably, syncFile } from '../../disk/durable.ts';
import { removeLeft } from '../../disk/removeLeft.ts';
import { diskError } from '../diskError.ts';

/** The newest backups are kept: this many. */
const kept = 2;

/**
 * Copies the state database before a newer firn changes its schema: beside it, under a name with the version it has, and removes all but
 * the newest backups. The database must be checkpointed, and nobody may be writing.
 *
 * @returns the path of the copy
 * @throws FirnError `disk`
 */
export async function backUpState(file: string, version: number, now = new Date()): Promise<string> {
  const moment = now.toISOString().slice(0, 19).replace(/[-:]/g, '');
  const backup = `${file}.v${String(version).padStart(3, '0')}-${moment}Z.backup`;
  const staged = `${backup}.new`;
  await rm(staged, { force: true });
  try {
    // Where the file system can, the copy shares the blocks of the original.
    await copyFile(file, staged, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await syncFile(staged);
    await renameDurably(staged, backup);
  } catch (error) {
    await rm(staged, { force: true });
    throw diskError(error, `back up ${file} before its schema is brought up to date`);
  }
  for (const old of (await listBackups(file)).slice(0, -kept)) await rm(old, { force: true });
  return backup;
}

/** Removes what runs have left that were killed while they made a database, a backup or a file beside them, and what they had put aside for want of memory. Nobody else may have the database open. */
export async function removeHalfMade(file: string): Promise<void> {
  const own = basename(file);
  for (const name of await readdir(dirname(file))) {
    const isHalf = name.startsWith(`${own}.new-`) || (name.startsWith(`${own}.v`) && name.endsWith('.backup.new'));
    if (isHalf) await rm(join(dirname(file), name), { force: true });
  }
  // What a run that was killed had no memory for. DuckDB takes away no folder that it found, and its files only when it needs it itself; one that
  // is a disk of its own stays.
  await rm(`${file}.tmp`, { recursive: true, force: true }).catch(() => {});
  for (const folder of ['.', 'runs', 'pauses'])
    await removeLeft(join(dirname(file), folder), (name) => name.endsWith('.new'));
}

/** Backups of a state database, oldest first. */
async function listBackups(file: string): Promise<string[]> {
  const folder = dirname(file);
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(`${basename(file)}.v`) && name.endsWith('Z.backup'),
  );
  const moment = (name: string) => name.slice(-'20260101T000000Z.backup'.length);
  return names.sort((a, b) => (moment(a) < moment(b) ? -1 : 1)).map((name) => join(folder, name));
}
