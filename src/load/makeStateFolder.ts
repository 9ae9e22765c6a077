import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes the folder of the state, which its owner alone may read. Readers are often others: the warehouse around it is as the system makes folders. */
export async function makeStateFolder(warehouse: string): Promise<string> {
  await mkdir(warehouse, { recursive: true });
  const state = join(warehouse, '.state');
  await mkdir(state, { recursive: true, mode: 0o700 });
  return state;
}
