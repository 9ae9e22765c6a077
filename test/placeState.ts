import { rmSync } from 'node:fs';
import { constants, copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actions, catalogue } from '../pipelines/index.ts';
import { openWarehouse } from '../src/load/warehouse.ts';
import { tablesOf } from '../src/run/tablesOf.ts';

/** The state database of a warehouse into which nothing was read. Making one takes half a second, so a process makes one. */
let made: Promise<string> | undefined;

/** Puts the state that a first run makes into a warehouse folder. */
export async function placeState(warehouse: string): Promise<void> {
  made ??= makeState();
  await mkdir(join(warehouse, '.state'), { recursive: true, mode: 0o700 });
  await copyFile(await made, join(warehouse, '.state', 'firn.duckdb'), constants.COPYFILE_FICLONE);
}

async function makeState(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-state-'));
  // Other files of this process copy it too.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const warehouse = await openWarehouse({ folder, tables: tablesOf([...catalogue, ...actions]) });
  warehouse.close();
  return join(folder, '.state', 'firn.duckdb');
}
