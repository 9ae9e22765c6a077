import { resolve } from 'node:path';
import { type ConfigOptions, readConfig } from '../cli/config.ts';
import { openReader, type Reader } from '../publish/openReader.ts';

/** A published version, read-only: it stays the same while runs go on, until it is closed. */
export interface PublishedWarehouse extends Reader {
  readonly version: number;
}

/**
 * Opens the version of a warehouse that readers see now. It never waits for a run, and never holds one up.
 *
 * @param options the folder of the warehouse, or the configuration that names it
 * @throws FirnError `not_found` where nothing was published yet
 */
export async function openWarehouse(options: ConfigOptions = {}): Promise<PublishedWarehouse> {
  const { warehouse } = options;
  const reader = await openReader(warehouse === undefined ? readConfig(options).warehouse : resolve(warehouse));
  const [published] = await reader.query<{ version: bigint }>('SELECT "version" FROM firn.published');
  return { ...reader, version: Number(published?.version) };
}
