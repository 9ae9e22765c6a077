import type { Settings } from '../run/settings.ts';
import { openControl } from './ledger/openControl.ts';
import { type ClusterProgress, readProgress } from './ledger/readProgress.ts';
import { clusterOf } from './openCluster.ts';

/** How far the cluster of a configuration is. @throws FirnError `config`, `unavailable`, `unauthorized` */
export async function readCluster(settings: Settings): Promise<ClusterProgress> {
  const control = await openControl(clusterOf(settings).control, { connections: 1 });
  try {
    return await readProgress(control);
  } finally {
    await control.close();
  }
}
