import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { transfersStream } from './transfers.ts';
import { commits, writeCommit } from './writtenCommits.ts';

// A process of its own: `node writingProcess.js <warehouse folder>`. Files of their own say in its trace how far it is.
const [folder = ''] = process.argv.slice(2);
const mark = (name: string) => writeFile(join(folder, name), '');
const warehouse = await openWarehouse({ folder, tables: tablesOf([transfersStream()]) });
for (const number of commits.keys()) {
  await writeCommit(warehouse, number);
  await mark(`written ${number}`);
  await warehouse.commit();
  await mark(`durable ${number}`);
}
warehouse.close();
await mark('closed');
