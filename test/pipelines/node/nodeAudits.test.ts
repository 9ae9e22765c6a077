/** @module-tag long */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLedger } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeStreams } from '../../../pipelines/node/index.ts';
import { proveEvidence } from '../../../src/run/evidence/proveEvidence.ts';
import { type NodeHarness, startNodeHarness } from './nodeHarness.ts';

const folder = join(import.meta.dirname, '../../../sql/audits');
const audits = readdirSync(folder).filter((file) => file.startsWith('assert_node_'));
const primary = '11111111111111111111111111111111LpoYY';

/** Rows of an audit. */
async function failing(harness: NodeHarness, file: string) {
  return harness.query(await readFile(join(folder, file), 'utf8'));
}

/** @param dir the folder of a recording; the packed one where it is left out, which a process reads once */
async function drained(dir?: string): Promise<NodeHarness> {
  const harness = await startNodeHarness(nodeStreams, { ledger: await readLedger(dir) });
  const blockchainIds = ['C', ...harness.devnet.ledger.l1s.map(({ blockchainId }) => blockchainId)];
  const subnetIds = [primary, ...harness.devnet.ledger.l1s.flatMap(({ subnetId }) => subnetId ?? [])];
  await harness.sync({
    'node/containers': {},
    'node/evm_blocks': { blockchainIds, traces: false, to: 40 },
    'node/platform_blocks': {},
    'node/platform_reward_utxos': {},
    'node/platform_blockchains': {},
    'node/platform_validators': { subnetIds },
    'node/l1_validators': { blockchainIds },
    'node/avm_transactions': { which: 'all', budget: 200 },
  });
  await proveEvidence({ warehouse: harness.warehouse, to: 40 });
  return harness;
}

test('there are audits of the node', () => {
  expect(audits.length).toBeGreaterThan(5);
});

describe.each(['test/fixtures/node-ledger-signed', 'test/fixtures/node-ledger-forks'])('%s', (dir) => {
  let harness: NodeHarness;
  beforeAll(async () => {
    harness = await drained(dir);
  }, 120_000);
  afterAll(() => harness.close());

  test.each(audits)('%s returns no rows', async (file) => {
    expect(await failing(harness, file)).toEqual([]);
  });
});

describe('the embedded network', () => {
  let harness: NodeHarness;
  beforeAll(async () => {
    harness = await drained();
  }, 180_000);
  afterAll(() => harness.close());

  test.each(audits)('%s returns no rows', async (file) => {
    expect(await failing(harness, file)).toEqual([]);
  });

  test.each([
    ['evidence_unbroken', 'firn.evidence', `SET broken = 'gas: ...' WHERE "number" = 3 AND chain_id = '43112'`, 1],
    [
      'containers_link',
      'raw.node_containers',
      `SET parent_id = 'other' WHERE index_name = 'X/block' AND "index" = 7`,
      1,
    ],
    ['primary_heights_follow', 'raw.node_containers_p_blocks', 'SET height = height + 1 WHERE height = 1402', 1],
    ['decoded_transactions_complete', 'raw.node_containers_x_blocks', 'SET transaction_count = 9 WHERE height = 5', 1],
    ['platform_json_equals_bytes', 'raw.node_platform_blocks', `SET difference = 'height: 1, 2' WHERE height = 5`, 1],
    ['avm_transactions_equal_containers', 'raw.node_avm_transactions', `SET memo = '0xab'`, null],
    [
      'avm_transactions_equal_containers',
      'raw.node_avm_transactions',
      `SET inputs = '[]' WHERE tx_type = 'BaseTx'`,
      null,
    ],
    ['l1_validators_equal_platform', 'raw.node_l1_validators', `SET node_id = 'NodeID-other'`, null],
    ['blockchains_equal_containers', 'raw.node_platform_blockchains', `SET name = 'other'`, 2],
    ['rewards_go_to_their_owners', 'raw.node_platform_reward_utxos', `SET addresses = ['local1other']`, 16],
  ])('assert_node_%s names what is wrong', async (name, table, change, rows) => {
    await harness.warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS SELECT * FROM ${table}`);
    await harness.warehouse.run(`UPDATE ${table} ${change}`);
    const found = await failing(harness, `assert_node_${name}.sql`);
    await harness.warehouse.run(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM held`);
    if (rows === null) expect(found.length).toBeGreaterThan(0);
    else expect(found).toHaveLength(rows);
  });

  test('a block that is read again and differs may have the transactions that it had', async () => {
    const { warehouse } = harness;
    const [newest] = await harness.query<{ load: bigint }>('SELECT max(load_id) AS load FROM firn.load');
    await warehouse.run(`CREATE OR REPLACE TEMP TABLE held AS SELECT "index", _load_id FROM raw.node_containers_p_blocks;
      UPDATE raw.node_containers_p_blocks SET _load_id = 1000000; SET VARIABLE firn_audited_load = ${newest?.load}`);
    const found = await failing(harness, 'assert_node_decoded_transactions_complete.sql');
    await warehouse.run(`RESET VARIABLE firn_audited_load;
      UPDATE raw.node_containers_p_blocks AS b SET _load_id = held._load_id FROM held WHERE held."index" = b."index"`);
    expect(found).toEqual([]);
  });

  test('what is allowed to be missing is not named', async () => {
    await harness.warehouse.run(`INSERT INTO firn.gap VALUES ('node/containers', 'index_name=P/block', 1401, 1400, 1)`);
    await harness.warehouse.run('UPDATE raw.node_containers_p_blocks SET height = height + 1 WHERE height = 1402');
    expect(await failing(harness, 'assert_node_primary_heights_follow.sql')).toEqual([]);
  });
});
