import { openReader, type Reader } from '../publish/openReader.ts';
import type { Settings } from '../run/settings.ts';
import { clusterView } from './clusterView.ts';

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
