import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { holdWarehouse } from '../../../src/load/state/holdWarehouse.ts';
import { temporary } from '../../temporaryFolders.ts';

const turns = vi.hoisted(() => ({ hasBegun: async () => {} }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (path, ...rest) => {
    const handle = await real.open(path, ...rest);
    if (String(path).endsWith('.turn')) await turns.hasBegun();
    return handle;
  };
  return { ...real, open };
});

test('who has its turn to take away what a process left leaves what another has put there since', async () => {
  const folder = await temporary();
  const file = join(folder, '.state', 'holder.json');
  await mkdir(join(folder, '.state'));
  await writeFile(file, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), place: '' }));
  turns.hasBegun = async () => {
    await writeFile(`${file}.other`, '');
    const { ino } = await stat(`${file}.other`, { bigint: true });
    await writeFile(`${file}.other`, JSON.stringify({ pid: 7, host: 'elsewhere', place: String(ino) }));
    await rename(`${file}.other`, file);
  };
  await expect(holdWarehouse(folder)).rejects.toMatchObject({ code: 'locked' });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ host: 'elsewhere' });
});
