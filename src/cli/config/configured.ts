import { actions, catalogue, sources } from '../../../pipelines/index.ts';
import type { Source } from '../../core/stream/source.ts';
import type { SourceSettings } from '../../core/stream/sourceSettings.ts';
import type { Registry } from '../../run/extend/registry.ts';
import type { Settings } from '../../run/settings.ts';
import { type CommandConfig, readConfig, readConfigFile } from './config.ts';

/** A configuration, and what it makes a run of. */
export interface Configured {
  readonly settings: Settings;
  readonly registry: Registry;
}

/** What firn reads without an extension. */
export const own = { sources, catalogue, actions };

/**
 * Reads `firn.yaml`, and the folder that its `extend` names.
 *
 * @throws FirnError `config` with the file and what to write instead
 */
export async function readConfigured(options: CommandConfig): Promise<Configured> {
  const read = readConfigFile(options);
  const settings = readConfig(options, undefined, read);
  if (settings.extend === undefined) return { settings, registry: own };
  const { openRegistry } = await import('../../run/extend/openRegistry.ts');
  const registry = await openRegistry(own, settings.extend);
  return { settings: readConfig(options, registry.sources, read), registry };
}

/** URLs of a configured source: its own, and those of the servers that answer single paths in its place. */
export const urlsOf = (source: Source, given: SourceSettings | undefined): readonly string[] =>
  given
    ? [...(given.url === undefined ? [] : [given.url]), ...(source.elsewhere?.(given) ?? []).map(({ url }) => url)]
    : [];
