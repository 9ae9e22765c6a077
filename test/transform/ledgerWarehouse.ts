import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, readLedger } from 'firn-devnet';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { removeOfEnded } from '../temporaryFolders.ts';
import { loadBlocks } from './loadLedger.ts';
import { openTemporary, type TestWarehouse } from './warehouse.ts';

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
  return openTemporary(folder);
}

/** Workers of one run share their parent; two that begin at once make it twice, and the later rename wins. */
async function databaseOfThisRun(): Promise<string> {
  const folder = join(tmpdir(), `firn-ledger-${process.ppid}`);
  const file = join(folder, 'firn.duckdb');
  if (existsSync(file)) return file;
  await removeOfEnded('firn-ledger-');
  const making = await mkdtemp(join(tmpdir(), 'firn-transform-'));
  const { warehouse, dispose } = await openTemporary(making);
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
