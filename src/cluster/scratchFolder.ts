import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listFolder } from '../disk/listFolder.ts';
import { isHeld } from '../load/state/holdWarehouse.ts';

/** How long a folder stays that no process has signed, in milliseconds: one may be about to. */
const unsignedMs = 24 * 3_600_000;

/**
 * The path of a new folder below the state of a warehouse, for what lives as long as a command. Those of processes that were killed go: a worker
 * that is killed again and again would fill the disk.
 *
 * @param kind of command
 */
export async function scratchFolder(warehouse: string, kind: 'worker' | 'lake' | 'ledger'): Promise<string> {
  const parent = join(warehouse, '.state', kind);
  for (const { name } of await listFolder(parent))
    if (await isLeft(join(parent, name))) await rm(join(parent, name), { recursive: true, force: true });
  return join(parent, randomUUID());
}

/** Whether the process that made a folder is gone. A worker has databases in folders of their own there. */
async function isLeft(folder: string): Promise<boolean> {
  const inside = (await listFolder(folder)).map(({ name }) => join(folder, name));
  const held = await Promise.all([folder, ...inside].map(isHeld));
  if (held.some((one) => one !== undefined)) return !held.includes(true);
  const made = await stat(folder).catch(() => undefined);
  return made !== undefined && Date.now() - made.mtimeMs > unsignedMs;
}
