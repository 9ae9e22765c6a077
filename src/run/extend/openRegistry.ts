import { readAudits } from '../../transform/audits/readAudits.ts';
import { metricsOf } from '../../transform/models/metricsOf.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { sourcesOf } from '../openProject.ts';
import { checkNames } from './checkNames.ts';
import { configured, readExtension } from './readExtension.ts';
import type { Registry } from './registry.ts';

/**
 * What runs are made of with an extension.
 *
 * @param own firn's own sources and streams
 * @param folder absolute path of `extend`
 * @throws FirnError `config` naming the file that cannot be read, or that takes a name or a metric's rank which is taken
 */
export async function openRegistry(
  own: Pick<Registry, 'sources' | 'catalogue' | 'actions'>,
  folder: string,
): Promise<Registry> {
  const registry = { ...own, models: await readModels(), audits: await readAudits() };
  const extension = await readExtension(folder);
  checkNames(registry, extension);
  const models = [...registry.models, ...extension.models];
  await configured(() => metricsOf(models));
  const metrics = extension.models.flatMap(({ metric }) => metric ?? []);
  const catalogue = [
    ...registry.catalogue.map((stream) => stream.withMetrics?.(metrics) ?? stream),
    ...extension.streams.map(({ stream }) => stream),
  ];
  return {
    ...registry,
    sources: [...new Set([...registry.sources, ...sourcesOf(catalogue)])],
    catalogue,
    models,
    audits: [...registry.audits, ...extension.audits],
    notebooks: extension.notebooks,
  };
}
