import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolder } from '../../disk/listFolder.ts';
import { stagingFolder } from '../files/writeUnit.ts';
import { ifWhole, lakeFolder, listVersions, readCurrent, readVersion, versionFile } from '../manifest.ts';
import { stagedReader } from '../reader/readerDatabase.ts';
import { unlinkVersions } from './linkVersion.ts';
import { removeFiles } from './removeFiles.ts';

/**
 * Removes the manifests of versions that nobody keeps, then the files that no remaining version names, and what a killed
 * publish left behind. Files that publish did not make are not touched (`verify` names Parquet files).
 *
 * @returns files removed
 */
export async function removeUnreferenced(folder: string, isKept: (version: number) => boolean): Promise<number> {
  const lake = lakeFolder(folder);
  await rm(join(lake, stagingFolder), { recursive: true, force: true });
  for (const { name } of await listFolder(join(folder, '.state')))
    if (stagedReader.test(name)) await rm(join(folder, '.state', name), { force: true });
  const manifests = [await ifWhole(readCurrent(folder))];
  const versions = new Set<number>();
  for (const version of await listVersions(folder)) {
    // A damaged manifest names nothing: what it may have named is written again.
    const manifest = isKept(version) ? await ifWhole(readVersion(folder, version)) : undefined;
    if (manifest) manifests.push(manifest);
    else await rm(versionFile(folder, version), { force: true });
    if (manifest) versions.add(version);
  }
  await unlinkVersions(folder, versions);
  const referenced = manifests.flatMap((manifest) => manifest?.tables.flatMap(({ files }) => files) ?? []);
  return removeFiles(lake, new Set(referenced.map(({ path }) => path)));
}
