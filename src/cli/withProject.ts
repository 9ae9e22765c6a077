import { actions, catalogue } from '../../pipelines/index.ts';
import { printable } from '../core/printable.ts';
import { noteUnresolved } from '../load/unresolved.ts';
import { openProject, type Project, type ProjectOptions } from '../run/openProject.ts';
import type { Configured } from './configured.ts';
import { refuseCluster } from './refuseCluster.ts';

/** What is opened; firn's own streams where a command asks for no others. */
export interface Opened extends Pick<Configured, 'settings'> {
  readonly registry?: Pick<Configured['registry'], 'catalogue' | 'actions'>;
}

/** Opens the configured warehouse for the time of `work`. */
export async function withProject<T>(
  { settings, registry = { catalogue, actions } }: Opened,
  work: (project: Project) => Promise<T>,
  options: Omit<ProjectOptions, 'declared'> = {},
): Promise<T> {
  refuseCluster(settings, 'This command');
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
