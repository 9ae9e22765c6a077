import { openControl } from '../../cluster/ledger/openControl.ts';
import { withLedgerQuarantine } from '../../cluster/ledger/withLedgerQuarantine.ts';
import { withScratch } from '../../cluster/ledger/withScratch.ts';
import { clusterOf } from '../../cluster/openCluster.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Settings } from '../../run/settings.ts';
import { withWarehouse } from './withProject.ts';

/** Opens the configuration's quarantine for the time of `work`: that of its warehouse, or the ledger's. */
export async function withQuarantine<T>(settings: Settings, work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  if (!settings.engine) return withWarehouse({ settings }, work);
  const control = await openControl(clusterOf(settings).control, { connections: 1 });
  try {
    return await withScratch(settings, { tables: [] }, (scratch) => withLedgerQuarantine(control, scratch, work));
  } finally {
    await control.close();
  }
}
