import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { publish } from '../../../src/publish/publish.ts';
import { openReader } from '../../../src/publish/reader/openReader.ts';
import type * as readerDatabase from '../../../src/publish/reader/readerDatabase.ts';
import { temporary } from '../../temporaryFolders.ts';
import { cut, sampleWarehouse } from '../sampleWarehouse.ts';

const disk = vi.hoisted(() => ({ isReadOnly: false }));

vi.mock('../../../src/publish/reader/readerDatabase.ts', async (original) => {
  const own = await original<typeof readerDatabase>();
  const build: typeof own.buildReaderDatabase = async (...args) => {
    if (disk.isReadOnly) throw Object.assign(new Error('EROFS: read-only file system, mkdir'), { code: 'EROFS' });
    return own.buildReaderDatabase(...args);
  };
  return { ...own, buildReaderDatabase: build };
});

test('where a mount that is read-only has another path, the setting that helps is named', async () => {
  const parent = await temporary();
  const warehouse = await sampleWarehouse(join(parent, 'a'));
  await publish(warehouse, { ...cut, runId: 'r1' });
  warehouse.close();
  const folder = join(parent, 'b');
  await rename(warehouse.folder, folder);
  disk.isReadOnly = true;
  await expect(openReader(folder)).rejects.toMatchObject({
    code: 'disk',
    message: expect.stringContaining(`publish with \`publish.root: ${folder}\` in the firn.yaml`),
  });
});
