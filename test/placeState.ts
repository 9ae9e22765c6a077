import { constants, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { actions, catalogue } from '../pipelines/index.ts';
import type { Table } from '../src/core/table.ts';
import { tablesOf } from '../src/core/tablesOf.ts';
import { describeTables } from '../src/load/ensureTables.ts';
import { openWarehouse } from '../src/load/warehouse.ts';
import { folderMadeOnce } from './folderMadeOnce.ts';

const everything = tablesOf([...catalogue, ...actions]);
const file = join('.state', 'firn.duckdb');

/**
 * Puts the state that a first run makes, its tables described as before a first build, into a warehouse folder. Making one takes half a
 * second, so a process makes one of as many tables.
 */
export async function placeState(warehouse: string, tables: readonly Table[] = everything): Promise<void> {
  const made = await folderMadeOnce(`state ${tables.length}`, async (folder) => {
    const state = await openWarehouse({ folder, tables });
    await describeTables(state, tables);
    state.close();
  });
  await mkdir(join(warehouse, '.state'), { recursive: true, mode: 0o700 });
  await copyFile(join(made, file), join(warehouse, file), constants.COPYFILE_FICLONE);
}
