import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../src/cluster/scratchFolder.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { temporary } from '../temporaryFolders.ts';

test('what killed processes left goes with the next command, and what others use or begin stays', async () => {
  const warehouse = await temporary();
  const parent = join(warehouse, '.state', 'worker');
  for (const name of ['killed/0/.state', 'held/0/.state', 'begun', 'killed before it signed'])
    await mkdir(join(parent, name), { recursive: true });
  const holder = join(parent, 'killed', '0', '.state', 'holder.json');
  await writeFile(holder, '');
  const { ino } = await stat(holder, { bigint: true });
  await writeFile(holder, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), birth: '1', place: String(ino) }));
  await utimes(join(parent, 'killed before it signed'), 1_000_000_000, 1_000_000_000);
  const held = await openWarehouse({ folder: join(parent, 'held', '0'), tables: [] });
  onTestFinished(() => held.close());
  const made = await scratchFolder(warehouse, 'worker');
  expect(made.startsWith(parent)).toBe(true);
  expect((await readdir(parent)).sort()).toEqual(['begun', 'held']);
});
