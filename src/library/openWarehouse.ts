import { resolve } from 'node:path';
import { type ConfigOptions, readConfig } from '../cli/config/config.ts';
import { refuseCluster } from '../cli/open/withProject.ts';
import { openReader, type Reader } from '../publish/reader/openReader.ts';

/** A published version, read-only: it stays the same while runs go on, until it is closed. */
export interface PublishedWarehouse extends Reader {
  readonly version: number;
}

/**
 * Opens the version of a warehouse that readers see now. It never waits for a run, and never holds one up.
 *
 * @param options the folder of the warehouse, or the configuration that names it
 * @throws FirnError `not_found` where nothing was published yet · `usage` where the configuration names a cluster
 */
export async function openWarehouse(options: ConfigOptions = {}): Promise<PublishedWarehouse> {
  const reader = await openReader(options.warehouse === undefined ? configured(options) : resolve(options.warehouse));
  const [published] = await reader.query<{ version: bigint }>('SELECT "version" FROM firn.published');
  return { ...reader, version: Number(published?.version) };
}

function configured(options: ConfigOptions): string {
  const settings = readConfig(options);
  refuseCluster(settings, 'openWarehouse()');
  return settings.warehouse;
}
