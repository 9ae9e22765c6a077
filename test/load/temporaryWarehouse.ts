import { onTestFinished } from 'vitest';
import type { Table } from '../../src/core/columns/table.ts';
import { type OpenOptions, openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { placeState } from '../placeState.ts';
import { temporary } from '../temporaryFolders.ts';

/** A folder with the state of a warehouse without tables: to make one takes three times as long as to open a copy. */
export async function emptyWarehouse(): Promise<string> {
  const folder = await temporary();
  await placeState(folder, []);
  return folder;
}

/**
 * An open warehouse.
 *
 * @param folder one that is there already; otherwise one of its own, into which nothing was read
 */
export async function temporaryWarehouse(
  tables: readonly Table[],
  folder?: string,
  memory: Pick<OpenOptions, 'memoryLimit' | 'roomierLimits'> = {},
): Promise<Warehouse> {
  const own = folder ?? (await temporary());
  if (folder === undefined) await placeState(own, tables);
  const warehouse = await openWarehouse({ folder: own, tables, ...memory });
  onTestFinished(() => {
    try {
      warehouse.close();
    } catch {
      // The test closed it itself.
    }
  });
  return warehouse;
}
