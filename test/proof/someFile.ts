import { join } from 'node:path';
import { readCurrent } from '../../src/publish/manifest.ts';

/** A Parquet file of the version that readers see: the largest one. */
export async function someFile(warehouse: string): Promise<string> {
  const files = (await readCurrent(warehouse))?.tables.flatMap((table) => table.files) ?? [];
  const [largest] = [...files].sort((a, b) => b.bytes - a.bytes);
  if (!largest) throw new Error(`Nothing is published in ${warehouse}.`);
  return join(warehouse, 'lake', largest.path);
}
