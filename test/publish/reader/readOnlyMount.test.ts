import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publish } from '../../../src/publish/publish.ts';
import { replaceFileCalls } from '../../replaceFileCalls.ts';
import { temporary } from '../../temporaryFolders.ts';
import { cut, sampleWarehouse } from '../sampleWarehouse.ts';

test('where a mount that is read-only has another path, the setting that helps is named', async () => {
  const parent = await temporary();
  const warehouse = await sampleWarehouse(join(parent, 'a'));
  await publish(warehouse, { ...cut, runId: 'r1' });
  warehouse.close();
  const folder = join(parent, 'b');
  await rename(warehouse.folder, folder);
  const refusal = Object.assign(new Error('EROFS: read-only file system, unlink'), { code: 'EROFS' });
  replaceFileCalls(() => ({ rm: () => Promise.reject(refusal) }));
  const { openReader } = await import('../../../src/publish/reader/openReader.ts');
  await expect(openReader(folder)).rejects.toMatchObject({
    code: 'disk',
    message: expect.stringContaining(`publish with \`publish.root: ${folder}\` in the firn.yaml`),
  });
});
