import { rmSync } from 'node:fs';
import { constants, copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actions, catalogue } from '../pipelines/index.ts';
import type { Table } from '../src/core/table.ts';
import { tablesOf } from '../src/core/tablesOf.ts';
import { openWarehouse } from '../src/load/warehouse.ts';

/** State databases into which nothing was read, by how many tables they have. Making one takes half a second, so a process makes one. */
const made = new Map<number, Promise<string>>();
const everything = tablesOf([...catalogue, ...actions]);

/** Puts the state that a first run makes into a warehouse folder. */
export async function placeState(warehouse: string, tables: readonly Table[] = everything): Promise<void> {
  const state = made.get(tables.length) ?? makeState(tables);
  made.set(tables.length, state);
  await mkdir(join(warehouse, '.state'), { recursive: true, mode: 0o700 });
  await copyFile(await state, join(warehouse, '.state', 'firn.duckdb'), constants.COPYFILE_FICLONE);
}

async function makeState(tables: readonly Table[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-state-'));
  // Other files of this process copy it too.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const warehouse = await openWarehouse({ folder, tables });
  warehouse.close();
  return join(folder, '.state', 'firn.duckdb');
}
