import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findForeign } from '../../../src/publish/verify/verifyFiles.ts';
import { temporary } from '../../temporaryFolders.ts';

test('files of versions up to the newest are foreign where none names them; what a newer one has left is not', async () => {
  const folder = await temporary();
  await mkdir(join(folder, 'lake', 'raw'), { recursive: true });
  const file = (version: number) => `raw/part-v00000${version}-0123456789ab.parquet`;
  for (const version of [1, 2, 3, 4]) await writeFile(join(folder, 'lake', file(version)), '');
  const found = await findForeign(folder, new Set([file(1)]), 3);
  expect(found.map(({ check, item }) => `${check} ${item}`).toSorted()).toEqual(
    [2, 3].map((n) => `foreign ${file(n)}`),
  );
});
