import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFileCalls } from '../../replaceFileCalls.ts';
import { temporary } from '../../temporaryFolders.ts';

/** Holds a warehouse, and does something else where a turn to take away has begun. */
async function holdWith(hasBegun: () => Promise<void>, folder: string): Promise<unknown> {
  replaceFileCalls((real) => {
    const open: typeof real.open = async (path, ...rest) => {
      const handle = await real.open(path, ...rest);
      if (String(path).endsWith('.turn')) await hasBegun();
      return handle;
    };
    return { open };
  });
  const { holdWarehouse } = await import('../../../src/load/state/holdWarehouse.ts');
  return holdWarehouse(folder);
}

test('who has its turn to take away what a process left leaves what another has put there since', async () => {
  const folder = await temporary();
  const file = join(folder, '.state', 'holder.json');
  await mkdir(join(folder, '.state'));
  await writeFile(file, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), place: '' }));
  const putAnother = async () => {
    await writeFile(`${file}.other`, '');
    const { ino } = await stat(`${file}.other`, { bigint: true });
    await writeFile(`${file}.other`, JSON.stringify({ pid: 7, host: 'elsewhere', place: String(ino) }));
    await rename(`${file}.other`, file);
  };
  await expect(holdWith(putAnother, folder)).rejects.toMatchObject({ code: 'locked' });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ host: 'elsewhere' });
});
