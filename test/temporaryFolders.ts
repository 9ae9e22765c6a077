import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** A folder that is gone after the tests of the file. */
export async function temporary(name = 'firn-test-'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), name));
  folders.push(folder);
  return folder;
}

/** Removes them: `setup.ts` does that after each file. */
export async function removeTemporary(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}

/** Removes what was made once for a run that is over: this prefix and the run's process are its name. */
export async function removeOfEnded(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)$`).exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}
