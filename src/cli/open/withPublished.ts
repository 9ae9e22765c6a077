import type { LakeView } from '../../cluster/lake/openLakeView.ts';
import { hasCode } from '../../core/firnError.ts';
import { openReader, type Reader } from '../../publish/reader/openReader.ts';
import type { StatusContext } from '../../report/read/statusContext.ts';
import type { Settings } from '../../run/settings.ts';
import type { Configured } from '../config/configured.ts';
import { reportContext } from './reportContext.ts';
import { withReader } from './withReader.ts';

/** An empty reader, for where nothing was published yet. */
const nothing: Reader = { query: async () => [], close: () => {} };

/** An empty reader in place of the error that nothing was published yet. */
export function nothingYet(error: unknown): Reader {
  if (hasCode(error, 'not_found')) return nothing;
  throw error;
}

/**
 * Opens what is published for the time of `use`, with what only files beside it tell. Before the first publish it is empty, as
 * long as there is something to tell of runs or workers.
 *
 * @throws FirnError `not_found` where there is neither
 */
export async function withPublished<T>(
  configured: Configured,
  use: (reader: Reader, context: StatusContext, cluster?: LakeView) => Promise<T>,
): Promise<T> {
  const { settings } = configured;
  const cluster = await clusterView(settings);
  try {
    const context = await reportContext(configured, cluster);
    const isTold = context.running || context.runs.length > 0 || context.unreadable !== null || cluster !== undefined;
    const opening = cluster?.reader() ?? openReader(settings.warehouse);
    return await withReader(isTold ? opening.catch(nothingYet) : opening, (reader) => use(reader, context, cluster));
  } finally {
    await cluster?.close();
  }
}

/**
 * Opens what readers see, wherever that is: the reader database, or the views of a cluster.
 *
 * @throws FirnError `not_found` when nothing was published yet
 */
export async function openPublished(settings: Settings): Promise<Reader> {
  const view = await clusterView(settings);
  if (!view) return openReader(settings.warehouse);
  const close = () => void view.close();
  const reader = await view.reader().catch((error) => {
    close();
    throw error;
  });
  return { ...reader, close };
}

/** A view of the cluster that a configuration names; undefined where it names none, and then no code for clusters is loaded. */
export const clusterView = async (settings: Settings): Promise<LakeView | undefined> =>
  settings.engine && (await import('../../cluster/lake/openLakeView.ts')).openLakeView(settings);
