import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '../../pipelines/index.ts';
import { openWarehouse, type Warehouse } from '../../src/load/warehouse.ts';

/** Every table of the catalogue. */
export const tables = catalogue.flatMap((stream) => [
  stream.table,
  ...Object.values(stream.children).map(({ table }) => table),
  ...(stream.revisions ? [stream.revisions] : []),
]);

/** A warehouse in a temporary folder, and how to be rid of it. */
export interface TestWarehouse {
  readonly warehouse: Warehouse;
  dispose(): Promise<void>;
}

/** An empty one. */
export async function temporaryWarehouse(): Promise<TestWarehouse> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-transform-'));
  const warehouse = await openWarehouse({ folder, tables, memoryLimit: '1GB' });
  return {
    warehouse,
    async dispose() {
      warehouse.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
