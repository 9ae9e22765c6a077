import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFolder } from '../../src/disk/listFolder.ts';
import { temporary } from '../temporaryFolders.ts';

test('a folder has what lies in it, one that is not there nothing', async () => {
  const folder = await temporary();
  await mkdir(join(folder, 'inner'));
  await writeFile(join(folder, 'file'), '');
  const found = await listFolder(folder);
  expect(found.map((entry) => [entry.name, entry.isDirectory()]).sort()).toEqual([
    ['file', false],
    ['inner', true],
  ]);
  for (const missing of ['none', 'file', 'file/none']) expect(await listFolder(join(folder, missing))).toEqual([]);
});

test('one that cannot be read is not taken for empty', async () => {
  const folder = await temporary();
  await expect(listFolder(join(folder, 'x'.repeat(300)))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});
