import { FirnError } from '../core/firnError.ts';
import { openReader, type Reader } from '../publish/openReader.ts';
import type { StatusContext } from '../report/readStatus.ts';
import type { Settings } from '../run/settings.ts';
import type { Configured } from './configured.ts';
import { reportContext } from './reportContext.ts';

/** An empty reader, for where nothing was published yet. */
const nothing: Reader = { query: async () => [], close: () => {} };

/**
 * Opens what is published for the time of `use`, with what only files beside it tell. Before the first publish it is empty, as
 * long as there is something to tell of runs or workers.
 *
 * @throws FirnError `not_found` where there is neither
 */
export async function withPublished<T>(
  configured: Configured,
  use: (reader: Reader, context: StatusContext) => Promise<T>,
): Promise<T> {
  const { settings } = configured;
  const context = await reportContext(configured);
  const reader = await openPublished(settings).catch((error: unknown) => {
    const isNone = error instanceof FirnError && error.code === 'not_found';
    if (isNone && (context.running || context.runs.length > 0 || settings.engine)) return nothing;
    throw error;
  });
  try {
    return await use(reader, context);
  } finally {
    reader.close();
  }
}

/**
 * Opens what readers see, wherever that is: the reader database, or the views of a cluster.
 *
 * @throws FirnError `not_found` when nothing was published yet
 */
export async function openPublished(settings: Settings): Promise<Reader> {
  if (!settings.engine) return openReader(settings.warehouse);
  const { openLakeReader } = await import('../cluster/lake/openLakeReader.ts');
  return openLakeReader(settings);
}
