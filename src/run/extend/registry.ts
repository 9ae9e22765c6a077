import type { Source } from '../../core/stream/source.ts';
import type { ActionStream, Stream } from '../../core/stream/stream.ts';
import type { Audit } from '../../transform/audits/parseAudit.ts';
import { readAudits } from '../../transform/audits/readAudits.ts';
import { metricsOf } from '../../transform/models/metricsOf.ts';
import type { Model } from '../../transform/models/model.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { sourcesOf } from '../openProject.ts';
import { checkNames } from './checkNames.ts';
import { configured, readExtension } from './readExtension.ts';

/** What a run is made of: firn's own parts, and those of the folder that `extend` names. */
export interface Registry {
  /** Sources in the order in which they are asked. */
  readonly sources: readonly Source[];
  /** Streams in the order a sync reads them. */
  readonly catalogue: readonly Stream[];
  /** Streams that commands fill. */
  readonly actions: readonly ActionStream[];
  /** Default: those of the package, which are read only where they are needed. */
  readonly models?: readonly Model[];
  readonly audits?: readonly Audit[];
  /** The extension's folder of notebooks, where there is one. */
  readonly notebooks?: string | undefined;
}

/**
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
