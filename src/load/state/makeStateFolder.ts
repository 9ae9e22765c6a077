import { join } from 'node:path';
import { makeFolder } from '../../disk/makeFolder.ts';

/** Makes the folder of the state, which its owner alone may read. Readers are often others: the warehouse around it is as the system makes folders. */
export async function makeStateFolder(warehouse: string): Promise<void> {
  await makeFolder(warehouse);
  await makeFolder(join(warehouse, '.state'), 0o700);
}
