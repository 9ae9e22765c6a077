import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lakeFolder, listVersions, readVersion, versionFile } from './manifest.ts';
import { stagingFolder, versionOfFile } from './writeUnit.ts';

/**
 * Removes the manifests of versions that nobody keeps, then the files that no remaining version names, and what a killed
 * publish left behind. Files that publish did not make are not touched (`verify` names them).
 *
 * @returns files removed
 */
export async function removeUnreferenced(folder: string, isKept: (version: number) => boolean): Promise<number> {
  const lake = lakeFolder(folder);
  await rm(join(lake, stagingFolder), { recursive: true, force: true });
  const referenced = new Set<string>();
  for (const version of await listVersions(folder)) {
    if (!isKept(version)) {
      await rm(versionFile(folder, version), { force: true });
      continue;
    }
    const manifest = await readVersion(folder, version);
    for (const table of manifest?.tables ?? []) for (const { path } of table.files) referenced.add(path);
  }
  return removeFiles(lake, '', referenced);
}

async function removeFiles(lake: string, relative: string, referenced: ReadonlySet<string>): Promise<number> {
  const entries = await readdir(join(lake, relative), { withFileTypes: true }).catch(() => []);
  let removed = 0;
  for (const entry of entries) {
    const path = relative ? `${relative}/${entry.name}` : entry.name;
    if (entry.isDirectory() && !(relative === '' && entry.name.startsWith('_'))) {
      removed += await removeFiles(lake, path, referenced);
      // Only an empty folder goes.
      await rmdir(join(lake, path)).catch(() => undefined);
    } else if (versionOfFile(entry.name) !== undefined && !referenced.has(path)) {
      await rm(join(lake, path), { force: true });
      removed++;
    }
  }
  return removed;
}
