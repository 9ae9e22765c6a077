import { FirnError } from '../core/firnError.ts';
import type { Settings } from '../run/settings.ts';

/** @throws FirnError `usage` where the configuration names a cluster: what a command knows of the warehouse of this machine is not its data */
export function refuseCluster({ engine }: Pick<Settings, 'engine'>, command: string): void {
  if (!engine) return;
  throw new FirnError(
    'usage',
    `${command} works on a warehouse of this machine, and this configuration names a cluster. Nothing was done. docs/cluster.md says which commands a cluster has.`,
  );
}
