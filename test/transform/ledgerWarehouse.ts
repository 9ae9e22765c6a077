import { type Ledger, readLedger } from 'firn-devnet';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { folderMadeOnce } from '../folderMadeOnce.ts';
import { loadBlocks } from './loadLedger.ts';
import { openCopy, openTemporary, type TestWarehouse } from './warehouse.ts';

let packed: Promise<Ledger> | undefined;

/** The packed recording, read once a test file. */
export function packedLedger(): Promise<Ledger> {
  packed ??= readLedger();
  return packed;
}

/** A warehouse of one's own that holds every EVM block of the packed recording, with the models built; made once a test run. */
export const ledgerWarehouse = async (): Promise<TestWarehouse> => openCopy(await folderMadeOnce('ledger', fill));

async function fill(folder: string): Promise<void> {
  const { warehouse } = await openTemporary(folder);
  const ledger = await packedLedger();
  for (const chain of [ledger.c, ...ledger.l1s]) await loadBlocks(warehouse, chain);
  await buildModels(warehouse);
  await warehouse.run('CHECKPOINT');
  warehouse.close();
}
