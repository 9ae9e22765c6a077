import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openControl } from '../cluster/ledger/openControl.ts';
import { withLedgerQuarantine } from '../cluster/ledger/withLedgerQuarantine.ts';
import { clusterOf } from '../cluster/openCluster.ts';
import { openWarehouse, type Warehouse } from '../load/warehouse.ts';
import type { Settings } from '../run/settings.ts';
import { withWarehouse } from './withProject.ts';

/** Opens the configuration's quarantine for the time of `work`: that of its warehouse, or the ledger's. */
export async function withQuarantine<T>(settings: Settings, work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  if (!settings.engine) return withWarehouse({ settings }, work);
  const control = await openControl(clusterOf(settings).control, { connections: 1 });
  const folder = join(settings.warehouse, '.state', 'ledger', randomUUID());
  try {
    const scratch = await openWarehouse({ folder, tables: [] });
    try {
      return await withLedgerQuarantine(control, scratch, work);
    } finally {
      scratch.close();
    }
  } finally {
    await control.close();
    await rm(folder, { recursive: true, force: true });
  }
}
