import { mkdtemp, rm } from 'node:fs/promises';
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
