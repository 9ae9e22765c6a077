import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskError } from '../../src/load/diskError.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { temporary } from '../temporaryFolders.ts';

test('a file in the place of a folder is a trouble of the disk, and nothing is said to be unpublished', async () => {
  const folder = await temporary();
  const file = join(folder, 'f');
  await writeFile(file, '');
  const told = { code: 'disk', message: expect.stringContaining('a file stands where a folder is to be') };
  await expect(openWarehouse({ folder: file, tables: [] })).rejects.toMatchObject(told);
  await expect(openReader(file)).rejects.toMatchObject(told);
  const link = join(folder, 'link');
  await symlink(join(folder, 'unmounted'), link);
  await expect(openWarehouse({ folder: link, tables: [] })).rejects.toThrow(
    'or a link that leads nowhere. Mount what it',
  );
  await mkdir(join(folder, 'warehouse'));
  await writeFile(join(folder, 'warehouse', '.state'), '');
  await expect(openWarehouse({ folder: join(folder, 'warehouse'), tables: [] })).rejects.toMatchObject(told);
});

test('a sync that the disk refuses is a trouble of the disk, though DuckDB says only that its database is to be opened again', () => {
  const said =
    'FATAL Error: Failed: database has been invalidated because of a previous fatal error.\nOriginal error: "fsync failed!"';
  expect(diskError(new Error(said), 'write the warehouse')).toMatchObject({
    code: 'disk',
    message: expect.stringMatching(/^Could not write the warehouse: the disk cannot be read or written\./),
  });
});
