import { actions, catalogue } from '../../pipelines/index.ts';
import { openRegistry, type Registry } from '../run/extend/registry.ts';
import { withOwnSources } from '../run/extend/withOwnSources.ts';
import type { Settings } from '../run/settings.ts';
import { type ConfigOptions, readConfig } from './config.ts';

/** A configuration, and what it makes a run of. */
export interface Project {
  readonly settings: Settings;
  readonly registry: Registry;
}

/**
 * Reads `firn.yaml`, and the folder that its `extend` names.
 *
 * @throws FirnError `config` with the file and what to write instead
 */
export const readProject = async (options: ConfigOptions): Promise<Project> => projectOf(readConfig(options));

/** What a configuration that was read already makes a run of. */
export async function projectOf(settings: Settings): Promise<Project> {
  const registry = await openRegistry({ catalogue, actions }, settings.extend);
  return { settings: withOwnSources(settings, registry), registry };
}
