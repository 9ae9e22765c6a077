import { FirnError } from '../../core/firnError.ts';
import { printable } from '../../core/text/printable.ts';
import { noteUnresolved } from '../../load/bookkeeping/unresolved.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { refuseLost, refuseUnread } from '../../publish/restored/lostState.ts';
import { openProject, type Project, type ProjectOptions } from '../../run/openProject.ts';
import type { Settings } from '../../run/settings.ts';
import { type Configured, own } from '../config/configured.ts';

/** What is opened; firn's own streams where a command asks for no others. */
export interface Opened extends Pick<Configured, 'settings'> {
  readonly registry?: Pick<Configured['registry'], 'catalogue' | 'actions'>;
}

/**
 * Opens the configured warehouse for the time of `work`.
 *
 * @param options `isFirst`: whether the command may be the first one there
 * @throws FirnError `disk` where its state was lost: an empty one in its place would hide that · `not_found` where there never was one
 */
export async function withProject<T>(
  { settings, registry = own }: Opened,
  work: (project: Project) => Promise<T>,
  { isFirst = false, ...options }: Omit<ProjectOptions, 'declared'> & { readonly isFirst?: boolean } = {},
): Promise<T> {
  refuseCluster(settings, 'This command');
  await refuseLost(settings.warehouse);
  if (!isFirst) await refuseUnread(settings.warehouse);
  const project = await openProject(settings, {
    declared: [...registry.catalogue, ...registry.actions],
    onCopy: (sentence) => process.stderr.write(printable(`${sentence}\n`)),
    ...options,
  });
  try {
    const result = await work(project);
    await noteUnresolved(project.warehouse);
    return result;
  } finally {
    project.close();
  }
}

/** @throws FirnError `usage` where the configuration names a cluster: its data is not in this machine's warehouse */
export function refuseCluster({ engine }: Pick<Settings, 'engine'>, command: string): void {
  if (!engine) return;
  throw new FirnError(
    'usage',
    `${command} works on a warehouse of this machine, and this configuration names a cluster. Nothing was done. docs/cluster.md says which commands a cluster has.`,
  );
}

/** Opens the state of the configured warehouse for the time of `work`, for commands that ask no source. */
export const withWarehouse = <T>(opened: Opened, work: (warehouse: Warehouse) => Promise<T>): Promise<T> =>
  withProject(opened, ({ warehouse }) => work(warehouse));
