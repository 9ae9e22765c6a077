import { constants, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '../../pipelines/index.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { placeState } from '../placeState.ts';

/** Every table of the catalogue. */
export const tables = tablesOf(catalogue);

/** A warehouse in a temporary folder, and how to be rid of it. */
export interface TestWarehouse {
  readonly warehouse: Warehouse;
  dispose(): Promise<void>;
}

/** An empty one. */
export async function temporaryWarehouse(): Promise<TestWarehouse> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-transform-'));
  await placeState(folder, tables);
  return openTemporary(folder);
}

/** A copy of one that is closed. */
export const copyOf = ({ warehouse }: TestWarehouse): Promise<TestWarehouse> => openCopy(warehouse.folder);

/** A copy of the state in a folder, which nobody has open. */
export async function openCopy(made: string): Promise<TestWarehouse> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-transform-'));
  await mkdir(join(folder, '.state'));
  const [from = '', to = ''] = [made, folder].map((at) => join(at, '.state', 'firn.duckdb'));
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  return openTemporary(folder);
}

/** The one in a folder, which goes with it. */
export async function openTemporary(folder: string): Promise<TestWarehouse> {
  const warehouse = await openWarehouse({ folder, tables, memoryLimit: '1GB' });
  return {
    warehouse,
    async dispose() {
      warehouse.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Empties the raw tables of EVM chains and served metrics, and builds the models of nothing afresh the next time. */
export async function forget(warehouse: Warehouse): Promise<void> {
  const raw = await warehouse.query<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables()
     WHERE schema_name = 'raw' AND regexp_matches(table_name, '^(node_evm_|node_containers|metrics_|data_latest_transactions)')`,
  );
  const names = [...raw.map(({ name }) => `raw.${name}`), 'firn.load', 'firn.frozen', 'firn.dropped'];
  await warehouse.run(names.map((name) => `DELETE FROM ${name}`).join('; '));
  // Loads count from 1 again: what was built up to no load begins from nothing.
  await forgetBuild(warehouse);
}

/** Has the next build make everything afresh, as another version of the models would. */
export const forgetBuild = (warehouse: Warehouse) => warehouse.run(`UPDATE firn.build_state SET models_hash = 'none'`);
