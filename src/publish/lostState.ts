import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readCurrent } from './manifest.ts';

/** What to do about a state that is gone under a published version, as a sentence; null where it is there, or where that is not known. */
export async function lostState(warehouse: string): Promise<string | null> {
  const file = join(warehouse, '.state', 'firn.duckdb');
  const found = await access(file).catch(({ code }: NodeJS.ErrnoException) => code);
  if (found !== 'ENOENT' || !(await readCurrent(warehouse).catch(() => undefined))) return null;
  const lost = `The state ${file} was lost: it is missing, and a version is published. Restore .state from a backup, or run "firn run", which reads everything again.`;
  return (await mayBeCopy(warehouse))
    ? `${lost} If this is a copy of what was published, there to be read, nothing is wrong.`
    : lost;
}

/** Whether nothing tells that a state was ever here: what is published may have been copied, to be read. */
export async function mayBeCopy(warehouse: string): Promise<boolean> {
  const names = await readdir(join(warehouse, '.state')).catch(() => []);
  return names.every((name) => name.startsWith('reader-'));
}
