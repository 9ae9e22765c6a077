import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes the folder of the state, which its owner alone may read. Readers are often others: the warehouse around it is as the system makes folders. */
export async function makeStateFolder(warehouse: string): Promise<void> {
  await mkdir(warehouse, { recursive: true });
  await mkdir(join(warehouse, '.state'), { recursive: true, mode: 0o700 });
}
