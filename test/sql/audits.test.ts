import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlFolder } from '../../src/load/sqlFolder.ts';
import type { Warehouse } from '../../src/load/warehouse.ts';
import { recordedWarehouse } from './recordedWarehouse.ts';

let warehouse: Warehouse;
let dispose: () => Promise<void>;

beforeAll(async () => {
  ({ warehouse, dispose } = await recordedWarehouse());
}, 600_000);
afterAll(() => dispose());

const rowsOf = async (audit: string) =>
  warehouse.query(await readFile(join(sqlFolder('audits'), `${audit}.sql`), 'utf8'));

/** Audits, each with a change of one row that it must notice. */
const harms: Readonly<Record<string, string>> = {
  assert_utxos_unique: 'INSERT INTO mart.fct_utxo SELECT * FROM mart.fct_utxo LIMIT 1',
  assert_inputs_equal_their_utxos:
    'UPDATE raw.node_containers_p_inputs SET amount = amount + 1 WHERE block_height = (SELECT max(block_height) FROM raw.node_containers_p_inputs)',
  assert_primary_transactions_make_no_avax: `UPDATE mart.fct_primary_transaction SET amount_burned = -1 WHERE tx_type = 'CreateSubnetTx'`,
  assert_platform_json_equals_containers: `UPDATE raw.node_platform_blocks SET block_id = 'other' WHERE height = 5`,
  assert_data_primary_transactions_equal_containers: `UPDATE raw.data_primary_transactions SET tx_type = 'OtherTx' WHERE tx_type = 'CreateSubnetTx'`,
  assert_data_utxos_equal_utxos: `UPDATE raw.data_utxos SET amount = amount + 1 WHERE block_number = 20`,
  assert_balances_equal_utxos: 'UPDATE raw.node_platform_balances SET balance = balance + 1',
  assert_validators_equal_staking: `UPDATE raw.node_platform_delegators SET weight = weight + 1`,
  assert_data_token_transfers_equal_logs: 'UPDATE raw.data_token_transfers SET "value" = "value" + 1',
  assert_data_internal_transactions_equal_traces:
    'UPDATE raw.data_address_internal_transactions SET "value" = "value" + 1',
  assert_supply_grows_by_rewards: `INSERT INTO raw.node_platform_supply BY NAME
    SELECT * REPLACE (height - 1 AS height, supply - 1 AS supply) FROM raw.node_platform_supply`,
};

describe.each(Object.entries(harms))('%s', (audit, harm) => {
  test('holds, and names the rows when it does not', async () => {
    expect(await rowsOf(audit)).toEqual([]);
    await warehouse.run('BEGIN TRANSACTION');
    try {
      await warehouse.run(harm);
      expect((await rowsOf(audit)).length).toBeGreaterThan(0);
    } finally {
      await warehouse.run('ROLLBACK');
    }
  });
});
