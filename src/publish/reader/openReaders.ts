import { chmod, link, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { literal } from '../../core/text/sqlText.ts';
import { listFolder } from '../../disk/listFolder.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { isLockError } from '../../load/state/isLockError.ts';
import type { PublishSource } from '../files/publishSource.ts';
import { ifWhole, lakeFolder, readCurrent } from '../manifest.ts';
import { readerVersion } from './readerVersion.ts';

const folderOf = (folder: string) => join(lakeFolder(folder), '_readers');

/** How many readers this process holds, by warehouse and version: a process does not see its own locks. */
const ownReaders = new Map<string, number>();

/** Counts a reader of this process in (`1`) or out (`-1`). */
export function countOwnReader(folder: string, version: number, by: 1 | -1): void {
  const key = `${folder}\u0000${version}`;
  ownReaders.set(key, (ownReaders.get(key) ?? 0) + by);
}

/**
 * Keeps a reader database that is about to be replaced under another name, so that one can ask later whether somebody still has
 * it open. Does nothing where the file system has no hard links.
 */
export async function rememberReader(folder: string, file: string): Promise<void> {
  // One that a tool has open for writing cannot be asked: it shows the version before.
  const version = (await readerVersion(file)) || ((await ifWhole(readCurrent(folder)))?.version ?? 0);
  if (version === 0) return;
  const kept = join(folderOf(folder), `${version}-${process.pid}-${remembered++}-${Date.now()}.duckdb`);
  await makeFolder(folderOf(folder));
  await link(file, kept).catch(() => undefined);
}

let remembered = 0;

/** Versions whose reader database some process on this machine still has open, as DuckDB's file lock tells. */
export async function versionsInUse(folder: string, source: Pick<PublishSource, 'run'>): Promise<ReadonlySet<number>> {
  const inUse = new Set<number>();
  for (const { name } of await listFolder(folderOf(folder))) {
    const version = Number.parseInt(name, 10);
    const path = join(folderOf(folder), name);
    const isOwn = (ownReaders.get(`${folder}\u0000${version}`) ?? 0) > 0;
    const isFile = (await lstat(path)).isFile();
    if (isFile && (isOwn || (await isLocked(path, source)))) inUse.add(version);
    else await rm(path, { force: true });
  }
  return inUse;
}

/** A reader of the database holds a shared lock; asking for the writer's lock shows it. */
async function isLocked(path: string, source: Pick<PublishSource, 'run'>): Promise<boolean> {
  try {
    await chmod(path, 0o644);
    await source.run(`ATTACH ${literal(path)} AS firn_probe`);
    await source.run('DETACH firn_probe');
    return false;
  } catch (error) {
    return isLockError(error);
  }
}
