/** @module-tag long */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { publish } from '../../../src/publish/publish.ts';
import { openReader } from '../../../src/publish/reader/openReader.ts';
import { layouts, sampleWarehouse } from '../sampleWarehouse.ts';

test('rows that came after a state was restored are published, also where their loads have the ids of those that were lost', async () => {
  const { folder, close } = await sampleWarehouse();
  close();
  const publishAfter = async (run: string) => {
    const warehouse = await openWarehouse({ folder, tables: [] });
    await warehouse.run(
      `INSERT INTO firn.load BY NAME (SELECT 900 AS load_id, '${run}' AS run_id, 'node/evm_blocks' AS stream, '' AS "partition",
         1 AS pages, 1 AS rows_in, 1 AS rows_written, 0 AS rows_quarantined, 1 AS bytes, now()::TIMESTAMP AS committed_at);
       UPDATE raw.node_evm_blocks SET note = '${run}', _load_id = 900 WHERE "number" = 5`,
    );
    await publish(warehouse, { runId: run, layouts });
    warehouse.close();
  };
  const [state, backup] = [join(folder, '.state'), join(folder, 'backup')];
  await cp(state, backup, { recursive: true });
  await publishAfter('lost');
  await rm(state, { recursive: true });
  await cp(backup, state, { recursive: true });
  await publishAfter('now');
  const reader = await openReader(folder);
  expect(await reader.query('SELECT DISTINCT note FROM raw.node_evm_blocks WHERE "number" = 5')).toEqual([
    { note: 'now' },
  ]);
  reader.close();
});
