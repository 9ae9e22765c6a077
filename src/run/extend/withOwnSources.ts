import { FirnError } from '../../core/firnError.ts';
import { meant } from '../../core/meant.ts';
import { checkGiven } from '../plan/checkGiven.ts';
import { ownSourceSchema, type Settings, settingsSchema, sourceSettings } from '../settings.ts';
import type { Registry } from './registry.ts';

/**
 * Fills in what own sources say of themselves where the configuration does not. One that has no URL stays unconfigured.
 *
 * @throws FirnError `config` for a source that nobody declares, or that says of itself what cannot be
 */
export function withOwnSources(settings: Settings, { catalogue }: Pick<Registry, 'catalogue'>): Settings {
  const firns = Object.keys(settingsSchema.shape.sources.shape);
  const declared = new Map(catalogue.map(({ source }) => [source.name as string, source]));
  const known = [...new Set([...firns, ...declared.keys()])];
  const stranger = Object.keys(settings.sources).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    const streams = `${settings.extend}/streams`;
    throw new FirnError(
      'config',
      `sources.${stranger}: no stream of ${streams} reads a source of this name. ${meant(stranger, known)}`,
    );
  }
  const own = [...declared.values()].flatMap(({ name, numbers, defaults }) => {
    if (firns.includes(name)) return [];
    const given = { ...defaults, ...sourceSettings(settings, name) };
    if (given.url === undefined) return [];
    const checked = checkGiven(ownSourceSchema, given);
    if ('sentence' in checked) throw new FirnError('config', `The source "${name}": ${checked.sentence}`);
    return [[name, { ...checked.data, numbers }]];
  });
  return { ...settings, sources: { ...settings.sources, ...Object.fromEntries(own) } };
}
