import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Map<string, Promise<string>>();

/** A folder that is made once in a process, for all test files that come to it: to be copied, not to be changed. */
export function folderMadeOnce(key: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = made.get(key) ?? make(fill);
  made.set(key, folder);
  return folder;
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function make(fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-made-'));
  folders.push(folder);
  await fill(folder);
  return folder;
}
