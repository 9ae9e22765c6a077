import { actions, catalogue } from '../../pipelines/index.ts';
import { printable } from '../core/printable.ts';
import { openWarehouse, type Warehouse } from '../load/warehouse.ts';
import { noteUnresolved } from '../run/records/noteUnresolved.ts';
import type { Settings } from '../run/settings.ts';
import { tablesOf } from '../run/tablesOf.ts';

/** Opens the state of the configured warehouse for the time of `work`. */
export async function withWarehouse<T>(settings: Settings, work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  const warehouse = await openWarehouse({
    folder: settings.warehouse,
    tables: tablesOf([...catalogue, ...actions]),
    onBackup: (path) =>
      process.stderr.write(printable(`This firn changes the schema of the state; its copy is kept: ${path}\n`)),
  });
  try {
    const result = await work(warehouse);
    await noteUnresolved(warehouse);
    return result;
  } finally {
    warehouse.close();
  }
}
