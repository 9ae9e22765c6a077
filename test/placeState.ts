import { constants, copyFile, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { actions, catalogue } from '../pipelines/index.ts';
import { createTableSql, type Table } from '../src/core/columns/table.ts';
import { tablesOf } from '../src/core/stream/stream.ts';
import { describeTables } from '../src/load/state/ensureTables.ts';
import { openWarehouse } from '../src/load/state/warehouse.ts';
import { publish } from '../src/publish/publish.ts';
import { layoutsOf } from '../src/run/layoutsOf.ts';
import { buildModels } from '../src/transform/builds/buildModels.ts';
import { readModels } from '../src/transform/models/readModels.ts';
import { folderMadeOnce } from './folderMadeOnce.ts';

const declared = [...catalogue, ...actions];
const everything = tablesOf(declared);

/**
 * Puts the state that a first run makes, its tables described as before a first build, into a warehouse folder; where it has every table,
 * with what reader databases begin from. Making them takes a second, so a process makes one of the same tables.
 *
 * @param isBuilt with models that were built of no rows, too: a first build takes twice as long as one that follows
 */
export async function placeState(
  warehouse: string,
  tables: readonly Table[] = everything,
  { isBuilt = false } = {},
): Promise<void> {
  const made = await folderMadeOnce(`state of ${tables.map(createTableSql).join()}`, async (folder) => {
    const state = await openWarehouse({ folder, tables });
    await describeTables(state, tables);
    state.close();
    if (tables.length === everything.length) await leaveReaderBases(folder);
  });
  const state = join(warehouse, '.state');
  await mkdir(state, { recursive: true, mode: 0o700 });
  for (const name of await readdir(join(made, '.state'))) {
    if (/^(firn|reader-.*)\.duckdb$/.test(name))
      await copyFile(join(made, '.state', name), join(state, name), constants.COPYFILE_FICLONE);
  }
  if (isBuilt) await copyFile(join(made, 'built.duckdb'), join(state, 'firn.duckdb'), constants.COPYFILE_FICLONE);
}

/** Builds and publishes a copy of a state, for what it is then and what that leaves beside it. */
async function leaveReaderBases(folder: string): Promise<void> {
  const [own, built] = [join(folder, '.state'), await mkdtemp(join(folder, 'built-'))];
  await mkdir(join(built, '.state'));
  await copyFile(join(own, 'firn.duckdb'), join(built, '.state', 'firn.duckdb'), constants.COPYFILE_FICLONE);
  const open = () => openWarehouse({ folder: built, tables: everything });
  const models = await readModels();
  const building = await open();
  await buildModels(building, { models });
  building.close();
  await copyFile(join(built, '.state', 'firn.duckdb'), join(folder, 'built.duckdb'), constants.COPYFILE_FICLONE);
  const warehouse = await open();
  await publish(warehouse, { runId: 'none', layouts: layoutsOf(declared, models) });
  warehouse.close();
  for (const name of await readdir(join(built, '.state')))
    if (name.startsWith('reader-')) await copyFile(join(built, '.state', name), join(own, name));
}
