import { openReader, type Reader } from '../publish/openReader.ts';
import type { Settings } from '../run/settings.ts';

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
