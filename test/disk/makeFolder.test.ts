import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../src/disk/makeFolder.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { projectRoot } from '../cli/firnProcess.ts';
import { temporary } from '../temporaryFolders.ts';

test('a folder is made with those above it, once, through a link, and by several at a time', async () => {
  const root = await temporary();
  await mkdir(join(root, 'real'));
  await symlink(join(root, 'real'), join(root, 'link'));
  const folder = join(root, 'link', 'a', 'b');
  await Promise.all([makeFolder(folder, 0o700), makeFolder(folder, 0o700), makeFolder(join(folder, 'c'), 0o700)]);
  expect((await stat(join(root, 'real', 'a', 'b', 'c'))).mode & 0o777).toBe(0o700);
});

test('a file in its place, or in that of one above it, is told', async () => {
  const file = join(await temporary(), 'file');
  await writeFile(file, '');
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(file, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.runIf(process.platform === 'linux')('a place that takes no folders is told, and soon', async () => {
  const sentence = 'name another folder with --warehouse. (EPERM: no folder can be made in /proc)';
  await expect(openWarehouse({ folder: '/proc/firn/warehouse', tables: [] })).rejects.toMatchObject({
    code: 'disk',
    message: expect.stringContaining(sentence),
  });
});

test('no other folder is made by a recursive mkdir: that of Node 20 hides that the disk is full', async () => {
  for (const folder of ['src', 'devnet/src'].map((name) => join(projectRoot, name)))
    for (const file of (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')))
      expect(await readFile(join(folder, file), 'utf8'), file).not.toMatch(/mkdir(Sync)?\(.*recursive/);
});
