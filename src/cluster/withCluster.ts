import type { Settings } from '../run/settings.ts';
import type { Engine } from './contract.ts';
import { openEngine } from './engine/openEngine.ts';
import { type Cluster, openCluster } from './openCluster.ts';

/** Opens the cluster of a configuration, and its engine, of which nothing is asked yet, for the time of `use`. @throws FirnError as `openCluster` */
export async function withCluster<T>(
  settings: Settings,
  signal: AbortSignal | undefined,
  use: (cluster: Cluster, engine: Engine) => Promise<T>,
): Promise<T> {
  const cluster = await openCluster(settings);
  try {
    const engine = openEngine(settings, cluster.stage, signal);
    return await use(cluster, engine).finally(() => engine.close());
  } finally {
    await cluster.control.close();
  }
}
