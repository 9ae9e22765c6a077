import { actions, catalogue } from '../../pipelines/index.ts';
import { printable } from '../core/printable.ts';
import { openProject, type Project, type ProjectOptions } from '../run/openProject.ts';
import { noteUnresolved } from '../run/records/noteUnresolved.ts';
import type { Settings } from '../run/settings.ts';

/** Opens the configured warehouse for the time of `work`. */
export async function withProject<T>(
  settings: Settings,
  work: (project: Project) => Promise<T>,
  options: Omit<ProjectOptions, 'declared'> = {},
): Promise<T> {
  const project = await openProject(settings, {
    declared: [...catalogue, ...actions],
    onBackup: (path) =>
      process.stderr.write(printable(`This firn changes the schema of the state; its copy is kept: ${path}\n`)),
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
