import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeLeft } from '../../src/disk/removeLeft.ts';
import { temporary } from '../temporaryFolders.ts';

test('old files that are left go, and neither folders nor those that may still be written', async () => {
  const folder = await temporary();
  const long = new Date(Date.now() - 7_200_000);
  await mkdir(join(folder, 'folder.new'));
  for (const name of ['old.new', 'young.new', 'old']) await writeFile(join(folder, name), '');
  for (const name of ['old.new', 'old', 'folder.new']) await utimes(join(folder, name), long, long);
  await removeLeft(folder, (name) => name.endsWith('.new'));
  expect((await readdir(folder)).sort()).toEqual(['folder.new', 'old', 'young.new']);
  await removeLeft(join(folder, 'none'), () => true);
});
