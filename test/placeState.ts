import { rmSync } from 'node:fs';
import { constants, copyFile, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { actions, catalogue } from '../pipelines/index.ts';
import type { Table } from '../src/core/table.ts';
import { tablesOf } from '../src/core/tablesOf.ts';
import { describeTables } from '../src/load/ensureTables.ts';
import { openWarehouse } from '../src/load/warehouse.ts';
import { publish } from '../src/publish/publish.ts';
import { layoutsOf } from '../src/run/layoutsOf.ts';
import { buildModels } from '../src/transform/buildModels.ts';
import { readModels } from '../src/transform/readModels.ts';

/** The files of states into which nothing was read, by how many tables they have. Making them takes a second, so a process does it once. */
const made = new Map<number, Promise<readonly string[]>>();
const declared = [...catalogue, ...actions];
const everything = tablesOf(declared);

/**
 * Puts the state that a first run makes, its tables described as before a first build, into a warehouse folder; where it has every table,
 * with what reader databases begin from.
 */
export async function placeState(warehouse: string, tables: readonly Table[] = everything): Promise<void> {
  const files = made.get(tables.length) ?? makeState(tables);
  made.set(tables.length, files);
  const state = join(warehouse, '.state');
  await mkdir(state, { recursive: true, mode: 0o700 });
  for (const file of await files) await copyFile(file, join(state, basename(file)), constants.COPYFILE_FICLONE);
}

async function makeState(tables: readonly Table[]): Promise<string[]> {
  const [folder = '', built = ''] = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'firn-state-'))));
  // Other files of this process copy it too.
  process.once('exit', () => {
    for (const made of [folder, built]) rmSync(made, { recursive: true, force: true });
  });
  const warehouse = await openWarehouse({ folder, tables });
  await describeTables(warehouse, tables);
  warehouse.close();
  const state = join(folder, '.state', 'firn.duckdb');
  return tables === everything ? [state, ...(await readerBases(state, built))] : [state];
}

/** Builds and publishes a copy of a state, for what that leaves beside it. */
async function readerBases(state: string, folder: string): Promise<string[]> {
  const own = join(folder, '.state');
  await mkdir(own);
  await copyFile(state, join(own, basename(state)), constants.COPYFILE_FICLONE);
  const warehouse = await openWarehouse({ folder, tables: everything });
  const models = await readModels();
  await buildModels(warehouse, { models });
  await publish(warehouse, { runId: 'none', layouts: layoutsOf(declared, models) });
  warehouse.close();
  return (await readdir(own)).filter((name) => name.startsWith('reader-')).map((name) => join(own, name));
}
