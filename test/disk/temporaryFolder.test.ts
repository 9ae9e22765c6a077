import { mkdir, readdir, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../src/disk/temporaryFolder.ts';
import { temporary } from '../temporaryFolders.ts';

test('what killed commands have left goes with the next folder, once it is old', async () => {
  const folder = await temporary();
  const long = new Date(Date.now() - 3 * 86_400_000);
  for (const name of ['.work-aaaaaa', '.work-of mine', '.other-aaaaaa', '.work-bbbbbb']) {
    await mkdir(join(folder, name, 'table'), { recursive: true });
    if (name !== '.work-bbbbbb') await utimes(join(folder, name), long, long);
  }
  const made = await temporaryFolder(join(folder, '.work-'));
  expect((await readdir(folder)).sort()).toEqual(
    ['.other-aaaaaa', '.work-bbbbbb', '.work-of mine', basename(made)].sort(),
  );
});
