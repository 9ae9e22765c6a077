import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, readLedger } from 'firn-devnet';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { loadBlocks } from './loadLedger.ts';
import { type TestWarehouse, tables } from './warehouse.ts';

let packed: Promise<Ledger> | undefined;

/** The packed recording, read once a test file. */
export function packedLedger(): Promise<Ledger> {
  packed ??= readLedger();
  return packed;
}

/** A warehouse of one's own that holds every EVM block of the packed recording, with the models built; made once a test run. */
export async function ledgerWarehouse(): Promise<TestWarehouse> {
  const made = await databaseOfThisRun();
  const folder = await mkdtemp(join(tmpdir(), 'firn-transform-'));
  await mkdir(join(folder, '.state'));
  await cp(made, join(folder, '.state', 'firn.duckdb'));
  return opened(folder);
}

async function opened(folder: string): Promise<TestWarehouse> {
  const warehouse = await openWarehouse({ folder, tables, memoryLimit: '1GB' });
  const dispose = async () => {
    warehouse.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { warehouse, dispose };
}

/** Workers of one run share their parent; two that begin at once make it twice, and the later rename wins. */
async function databaseOfThisRun(): Promise<string> {
  const folder = join(tmpdir(), `firn-ledger-${process.ppid}`);
  const file = join(folder, 'firn.duckdb');
  if (existsSync(file)) return file;
  await removeOld();
  const making = await mkdtemp(join(tmpdir(), 'firn-transform-'));
  const { warehouse, dispose } = await opened(making);
  const ledger = await packedLedger();
  for (const chain of [ledger.c, ...ledger.l1s]) await loadBlocks(warehouse, chain);
  await buildModels(warehouse);
  await warehouse.run('CHECKPOINT');
  warehouse.close();
  await mkdir(folder, { recursive: true });
  await rename(join(making, '.state', 'firn.duckdb'), file);
  await dispose().catch(() => rm(making, { recursive: true, force: true }));
  return file;
}

/** Databases of runs that are over. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = /^firn-ledger-(\d+)$/.exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}
