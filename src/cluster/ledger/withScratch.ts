import { rm } from 'node:fs/promises';
import { type OpenOptions, openWarehouse, type Warehouse } from '../../load/state/warehouse.ts';
import type { Settings } from '../../run/settings.ts';
import { scratchFolder } from '../scratchFolder.ts';

/** A warehouse of this machine beside a cluster's ledger, gone when `use` has ended. */
export async function withScratch<T>(
  { warehouse }: Pick<Settings, 'warehouse'>,
  options: Omit<OpenOptions, 'folder'>,
  use: (scratch: Warehouse) => Promise<T>,
): Promise<T> {
  const folder = await scratchFolder(warehouse, 'ledger');
  try {
    const scratch = await openWarehouse({ folder, ...options });
    return await use(scratch).finally(() => scratch.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
