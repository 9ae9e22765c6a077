/** @module-tag long */
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
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

test('a chain is asked about its own transactions alone: those that chosen streams have seen, and those that are named', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  await connection.run(`CREATE SCHEMA raw;
    CREATE TABLE raw.data_token_transfers AS SELECT * FROM (VALUES ('1', 'own'), ('2', 'another')) AS t (chain_id, tx_hash);
    CREATE TABLE raw.data_latest_transactions AS SELECT '1' AS chain_id, 'latest' AS tx_hash;`);
  const settings = { streams: ['token_transfers' as const], txHashes: ['named'] };
  const keys = transactionDetails.keys({ values: { chain_id: '1' }, settings, budget: 10 });
  const found = await connection.runAndReadAll(`SELECT "key" FROM (${keys}) ORDER BY 1`, { chain_id: '1' });
  expect(found.getRowObjects()).toEqual([{ key: 'named' }, { key: 'own' }]);
});
