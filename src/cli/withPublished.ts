import type { LakeView } from '../cluster/lake/openLakeView.ts';
import { FirnError } from '../core/firnError.ts';
import { openReader, type Reader } from '../publish/openReader.ts';
import type { StatusContext } from '../report/readStatus.ts';
import type { Settings } from '../run/settings.ts';
import { clusterView } from './clusterView.ts';
import { reportContext } from './reportContext.ts';

/** Stands in where nothing was published yet. */
const nothing: Reader = { query: async () => [], close: () => {} };

/**
 * Opens what is published for the time of `use`, with what only files beside it tell. Before the first publish it is empty, as
 * long as there is something to tell of runs or workers.
 *
 * @throws FirnError `not_found` where there is neither
 */
export async function withPublished<T>(
  settings: Settings,
  use: (reader: Reader, context: StatusContext, cluster?: LakeView) => Promise<T>,
): Promise<T> {
  const cluster = await clusterView(settings);
  try {
    const context = await reportContext(settings, cluster?.unresolved);
    const reader = await (cluster?.reader() ?? openReader(settings.warehouse)).catch((error: unknown) => {
      const isNone = error instanceof FirnError && error.code === 'not_found';
      if (isNone && (context.running || context.runs.length > 0 || cluster)) return nothing;
      throw error;
    });
    try {
      return await use(reader, context, cluster);
    } finally {
      reader.close();
    }
  } finally {
    await cluster?.close();
  }
}
