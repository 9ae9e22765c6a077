import { link, lstat, rename, rm, rmdir, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { listFolder } from '../../disk/listFolder.ts';
import { makeFolder } from '../../disk/makeFolder.ts';
import { lakeFolder, type Manifest, versionText } from '../manifest.ts';
import { removeFiles } from './removeFiles.ts';

/** Folder of one version's files alone, for tools that read whole folders. */
const versionFolder = (folder: string, version: number) => join(lakeFolder(folder), '_versions', versionText(version));

/** The link to the current version's folder: `<warehouse>/parquet/<schema>/<table>/…`. */
export const currentFolder = (folder: string): string => join(folder, 'parquet');

/**
 * Lays out the files of a version in a folder of their own, by hard links that take no space: the lake's folders hold the files of
 * several versions, and a tool that reads such a folder by pattern would count rows twice.
 */
export async function linkVersion(folder: string, { version, tables }: Manifest): Promise<void> {
  const target = versionFolder(folder, version);
  const folders = new Set<string>();
  for (const { path } of tables.flatMap(({ files }) => files)) {
    const linked = join(target, path);
    if (!folders.has(dirname(linked))) await makeFolder(dirname(linked));
    folders.add(dirname(linked));
    await linkFile(join(lakeFolder(folder), path), linked).catch(ignoreUnsupported);
  }
}

/** A copy of a warehouse may have a file of its own in the place of the link: it takes its space again, and nothing verifies it. */
async function linkFile(file: string, linked: string): Promise<void> {
  const found = await stat(linked).catch(() => undefined);
  if (found?.ino === (await stat(file)).ino) return;
  const staged = found ? `${linked}.new` : linked;
  // What a killed publish has left would be taken for a file system without links.
  if (found) await rm(staged, { force: true });
  await link(file, staged);
  if (found) await rename(staged, linked);
}

/** Lets `<warehouse>/parquet` show a version: a symbolic link, replaced by rename. */
export async function showVersion(folder: string, version: number): Promise<void> {
  const shown = currentFolder(folder);
  const staged = `${shown}.new`;
  // A copy of a warehouse that follows links has a folder here, and its files would be shown for ever.
  if ((await lstat(shown).catch(() => undefined))?.isDirectory()) {
    await removeFiles(shown, new Set());
    await rmdir(shown).catch(() => undefined);
  }
  await rm(staged, { force: true });
  await symlink(relative(folder, versionFolder(folder, version)), staged, 'dir')
    .then(() => rename(staged, shown))
    .catch(ignoreUnsupported);
  await rm(staged, { force: true });
}

/** Removes the folders of other versions than these. */
export async function unlinkVersions(folder: string, kept: ReadonlySet<number>): Promise<void> {
  const versions = dirname(versionFolder(folder, 0));
  for (const { name } of await listFolder(versions))
    if (!kept.has(Number(name))) await rm(join(versions, name), { recursive: true, force: true });
}

/** Error codes of a file system without links (FAT, some network shares), and of a name that something else has. */
const noLinks = new Set(['EEXIST', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR', 'ENOTEMPTY']);

/** Without links there is no such folder; the reader database does not need it. */
function ignoreUnsupported(error: NodeJS.ErrnoException): void {
  if (!noLinks.has(error.code ?? '')) throw error;
}
