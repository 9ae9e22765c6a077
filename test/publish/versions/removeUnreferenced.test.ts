import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listFolder } from '../../../src/disk/listFolder.ts';
import {
  announceReaders,
  lakeFolder,
  readCurrent,
  versionFile,
  writeCurrent,
  writeVersion,
} from '../../../src/publish/manifest.ts';
import { linkVersion } from '../../../src/publish/versions/linkVersion.ts';
import { removeUnreferenced } from '../../../src/publish/versions/removeUnreferenced.ts';
import { temporary } from '../../temporaryFolders.ts';
import { awkward } from '../sampleWarehouse.ts';

const fileOf = (version: number) => `t-v00000${version}-0123456789ab.parquet`;

/** A lake of one version with one file, and a file that no version names. */
async function lake() {
  const folder = await temporary(awkward);
  const raw = join(lakeFolder(folder), 'raw');
  await mkdir(raw, { recursive: true });
  for (const version of [1, 2]) await writeFile(join(raw, fileOf(version)), '');
  const file = { unit: '[]', rows: 0, bytes: 1, sha256: '0'.repeat(64), fingerprint: '', first: null, last: null };
  const files = [{ ...file, path: `raw/${fileOf(2)}` }];
  const tables = [{ schema: 'raw' as const, name: 't', comment: null, columns: [], rows: 0, files }];
  const said = { format: 2 as const, run_id: 'r', published_at: new Date(0).toISOString(), views: [], macros: [] };
  const manifest = { ...said, version: 2, tables, held_back: [] };
  await writeVersion(folder, manifest);
  return { folder, manifest, files: async () => (await listFolder(raw)).map(({ name }) => name).sort() };
}

test('what no version names goes, and nothing else', async () => {
  const { folder, files } = await lake();
  expect([await removeUnreferenced(folder, () => true), await files()]).toEqual([1, [fileOf(2)]]);
});

test('the folder of a version that is not kept goes, whose links would keep the room of its files', async () => {
  const { folder, manifest } = await lake();
  const folders = async () => (await listFolder(join(lakeFolder(folder), '_versions'))).map(({ name }) => Number(name));
  const older = { ...manifest, version: 1 };
  await writeVersion(folder, older);
  for (const one of [older, manifest]) await linkVersion(folder, one);
  expect((await folders()).sort()).toEqual([1, 2]);
  await removeUnreferenced(folder, (version) => version === 2);
  expect(await folders()).toEqual([2]);
});

test('a copy of a file, as a copied warehouse may have, becomes a link again', async () => {
  const { folder, manifest } = await lake();
  await linkVersion(folder, manifest);
  const [file, linked] = ['', '_versions/000002'].map((of) => join(lakeFolder(folder), of, 'raw', fileOf(2))) as [
    string,
    string,
  ];
  await rm(linked);
  // What a killed publish has left.
  for (const name of [linked, `${linked}.new`]) await writeFile(name, 'copy');
  await linkVersion(folder, manifest);
  expect((await stat(linked)).ino).toBe((await stat(file)).ino);
  expect((await listFolder(dirname(linked))).map(({ name }) => name)).toEqual([fileOf(2)]);
});

test('what a damaged manifest may have named goes with it', async () => {
  const { folder, files } = await lake();
  await writeFile(versionFile(folder, 2), '{');
  expect([await removeUnreferenced(folder, () => true), await files()]).toEqual([2, []]);
});

test('what readers see stays, also where the manifest of that version alone is damaged', async () => {
  const { folder, manifest, files } = await lake();
  await writeCurrent(folder, manifest, []);
  await writeFile(versionFile(folder, 2), '{');
  expect([await removeUnreferenced(folder, () => true), await files()]).toEqual([1, [fileOf(2)]]);
});

test('where a manifest cannot be read now, nothing goes', async () => {
  const { folder, files } = await lake();
  await mkdir(versionFile(folder, 3));
  await expect(removeUnreferenced(folder, () => true)).rejects.toMatchObject({ code: 'EISDIR' });
  expect(await files()).toEqual([1, 2].map(fileOf));
});

test('until readers are replaced, those in use count as well as those to come', async () => {
  const { folder, manifest } = await lake();
  const [before, now] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];
  await writeCurrent(folder, manifest, [before]);
  await announceReaders(folder, [now, before]);
  expect((await readCurrent(folder))?.readers).toEqual([before, now]);
});
