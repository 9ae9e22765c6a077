import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { platformRewardUtxos } from '../../../pipelines/node/platformRewardUtxos.ts';

interface Lookup {
  keys(): string;
  request(key: string): { readonly call: { readonly params: unknown }; readonly about: string };
}

test('rewards of every cycle of a validator that renews itself are asked for by the transaction that pays them', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  const rewarding = `(VALUES ('r1', 'RewardValidatorTx', 's1', 2), ('r2', 'RewardAutoRenewedValidatorTx', 's2', 4), ('r3', 'RewardAutoRenewedValidatorTx', 's2', 6),
    ('r4', 'RewardAutoRenewedValidatorTx', 's2', 8)) AS r (tx_id, tx_type, staking_tx_id, height)`;
  await connection.run(`CREATE SCHEMA raw;
    CREATE TABLE raw.node_containers_p_transactions AS SELECT * RENAME (height AS block_height) FROM ${rewarding} WHERE height < 6;
    CREATE TABLE raw.node_platform_transactions AS SELECT tx_id, tx_type, height, json_object('txID', staking_tx_id) AS unsigned_tx FROM ${rewarding};
    CREATE TABLE raw.node_containers_p_blocks AS SELECT unnest([2, 3, 4, 5]) AS height;
    CREATE TABLE raw.node_platform_blocks AS SELECT unnest([4, 5, 6, 7, 8]) AS height;`);
  const { keys, request } = platformRewardUtxos as unknown as Lookup;
  const rows = (await connection.runAndReadAll(`${keys()} ORDER BY "key"`)).getRowObjects();
  const asked = rows.map(({ key }) => request(String(key))).map(({ call, about }) => ({ params: call.params, about }));
  expect(asked).toEqual([
    { params: { txID: 's1', encoding: 'hex' }, about: 's1' },
    { params: { txID: 'r2', encoding: 'hex' }, about: 's2' },
    { params: { txID: 'r3', encoding: 'hex' }, about: 's2' },
  ]);
});
