import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { readCurrent } from './manifest.ts';

/** That the state under a published version is gone, as a sentence; null where it is there, or where that is not known. */
export async function lostState(warehouse: string): Promise<string | null> {
  const file = join(warehouse, '.state', 'firn.duckdb');
  const found = await access(file).catch(({ code }: NodeJS.ErrnoException) => code);
  if (found !== 'ENOENT' || !(await readCurrent(warehouse).catch(() => undefined))) return null;
  return `The state ${file} was lost: it is missing, and a version is published. Restore .state from a backup, or run "firn run", which reads everything again.`;
}
