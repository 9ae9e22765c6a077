/** @module-tag long */
import { expect, test } from 'vitest';
import { transactionDetails } from '../../../pipelines/data-api/transactionDetails.ts';
import { catalogue } from '../../../pipelines/index.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

// As SELECTs of their own 5,000 took more memory than a sync has.
test('thousands of named transactions are one list to DuckDB', async () => {
  const warehouse = await temporaryWarehouse(tablesOf(catalogue));
  const txHashes = Array.from({ length: 5000 }, (_, i) => `0x${String(i).padStart(64, '0')}`);
  const settings = { streams: ['token_transfers' as const], txHashes };
  const keys = transactionDetails.keys({ values: { chain_id: '43114' }, settings, budget: 5000 });
  await warehouse.run("SET memory_limit = '72MB'");
  const rows = await warehouse.query<{ key: string }>(keys, { chain_id: '43114' });
  expect(rows.map(({ key }) => key).sort()).toEqual(txHashes);
});
