import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { avmTransactions } from '../../../pipelines/node/avmTransactions.ts';

interface Lookup {
  keys(partition: { readonly settings: { readonly which: string | readonly string[] } }): string;
}

test.each([
  ['referred', ['asset', 'operated', 'spent']],
  ['all', ['asset', 'held', 'operated', 'spent']],
  [
    ['held', 'other'],
    ['held', 'other'],
  ],
])('of %j are asked for: %j', async (which, wanted) => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  // What is imported was made on another chain, which the X-Chain's API does not know.
  await connection.run(`CREATE SCHEMA raw;
    CREATE TABLE raw.node_containers_x_inputs AS SELECT * FROM (VALUES ('spent', 'input'), ('spent', 'operation'),
      ('operated', 'operation'), ('elsewhere', 'imported'), ('held', 'input')) AS i (output_tx_id, source);
    CREATE TABLE raw.node_containers_x_outputs AS SELECT unnest(['asset', 'asset', 'held']) AS asset_id;
    CREATE TABLE raw.node_containers_x_transactions AS SELECT 'held' AS tx_id;`);
  const keys = (avmTransactions as unknown as Lookup).keys({ settings: { which } });
  const rows = (await connection.runAndReadAll(`SELECT "key" FROM (${keys}) ORDER BY 1`)).getRowObjects();
  expect(rows.map(({ key }) => key)).toEqual(wanted);
});

test.each([
  ['initial_states', 'CreateAssetTx'],
  ['operations', 'OperationTx'],
  ['imported_inputs', 'ImportTx'],
  ['exported_outputs', 'ExportTx'],
  ['outputs', 'BaseTx'],
])('a transaction whose own member is %s is of type %s', (member, tx_type) => {
  const row = { value: (name: string) => (name === member ? '[]' : null), children: {} };
  expect(avmTransactions.derive?.(row, {} as never, {} as never)).toEqual({ columns: { tx_type } });
});
