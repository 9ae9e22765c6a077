import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationState } from '../../pipelines/data-api/operations.ts';
import { catalogue } from '../../pipelines/index.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { some } from '../some.ts';
import { startProxy } from './node/startProxy.ts';
import { parametersOf, type Streams, syncOnce, withFolder } from './standardHarness.ts';

// What the specification says, where the services that are known do otherwise.

let devnet: Devnet;
let parameters: Record<string, Record<string, unknown>>;
beforeAll(async () => {
  devnet = await startDevnet();
  parameters = (await parametersOf(devnet)) as typeof parameters;
});
afterAll(() => devnet.close());

/** What `work` finds in the warehouse of one sync. */
function afterSync<T>(streams: Streams, work: (warehouse: Warehouse) => Promise<T>, url = devnet.url): Promise<T> {
  return withFolder(async (folder) => {
    const results = await syncOnce(folder, { url }, streams);
    expect(results.map(({ outcome }) => outcome)).toEqual(results.map(() => 'done'));
    const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
    try {
      return await work(warehouse);
    } finally {
      warehouse.close();
    }
  });
}

test.each([false, true])('prices are the same decimals as numbers and as text: %s', async (seedShapes) => {
  devnet.configure({ seedShapes });
  const streams = { 'data/token_transfers': parameters['data/token_transfers'] ?? {} };
  const rows = await afterSync(streams, (warehouse) =>
    warehouse.query<{ value: string; type: string }>(
      `SELECT DISTINCT CAST(token_price_value AS VARCHAR) AS "value", typeof(token_price_value) AS "type"
       FROM raw.data_token_transfers WHERE token_price_value IS NOT NULL ORDER BY 1`,
    ),
  );
  devnet.configure({ seedShapes: false });
  expect(rows.length).toBeGreaterThan(0);
  for (const { value, type } of some(rows)) {
    expect(type).toBe('DECIMAL(38,18)');
    expect(value).toMatch(/^\d+\.\d{4}0{14}$/);
  }
});

test.each([
  ['RUNNING', 'https://files/x.zip', 'running'],
  ['A_WORD_OF_TOMORROW', 'https://files/x.zip', 'running'],
  ['COMPLETED_SOON', undefined, 'running'],
  ['COMPLETED', 'https://files/x.zip', 'done'],
  ['COMPLETED', undefined, 'done'],
  ['COMPLETED_WITH_WARNING', 'https://files/x.zip', 'done'],
  ['FAILED', 'https://files/x.zip', 'failed'],
])('an operation that is %s with the file %s is %s', (operationStatus, downloadUrl, outcome) => {
  expect(operationState({ operationId: '1', operationStatus, metadata: { downloadUrl } }).outcome).toBe(outcome);
});

test('types of transactions are asked for one by one, which the embedded network insists on', async () => {
  const [address = ''] = (parameters['data/utxos']?.['addresses'] as string[]) ?? [];
  const types = ['BaseTx', 'CreateSubnetTx', 'ExportTx', 'ImportTx'];
  const stream = { blockchainIds: ['p-chain'], addresses: [address], txTypes: types };
  const [requests, held] = await afterSync({ 'data/primary_transactions': stream }, async (warehouse) => [
    await warehouse.query<{ request: string }>(
      "SELECT request FROM firn.load WHERE stream = 'data/primary_transactions'",
    ),
    await warehouse.query<{ tx_type: string }>('SELECT DISTINCT tx_type FROM raw.data_primary_transactions'),
  ]);
  expect(requests[0]?.request).toContain(types.map((type) => `txTypes=${type}`).join('&'));
  expect(held.length).toBeGreaterThan(0);
  for (const { tx_type } of some(held)) expect(types).toContain(tx_type);
});

test('a new member is announced once by its path, at any depth and in records of children', {
  tags: 'long',
}, async () => {
  const l1 = devnet.ledger.l1s[0]?.blockchainId ?? '';
  const proxy = await startProxy(devnet.url, async ({ method, forward }) => {
    if (method !== 'eth_getBlockReceipts') return undefined;
    const receipts = (await forward()) as { logs: object[] }[];
    return {
      result: receipts.map((receipt) => ({
        ...receipt,
        newOnReceipt: { inner: 1 },
        logs: receipt.logs.map((log) => ({ ...log, newOnLog: '0x1' })),
      })),
    };
  });
  const changes = await afterSync(
    { 'node/evm_blocks': { blockchainIds: [l1], to: 60 } },
    async (warehouse) => {
      const [kept] = await warehouse.query('SELECT count(*) AS n FROM raw.node_evm_logs WHERE _extra IS NULL');
      expect(kept).toEqual({ n: 0n });
      return warehouse.query('SELECT stream, member, example FROM firn.schema_change ORDER BY member');
    },
    proxy.url,
  );
  expect(changes).toEqual([
    { stream: 'node/evm_blocks', member: 'receipts[].logs[].newOnLog', example: '"0x1"' },
    { stream: 'node/evm_blocks', member: 'receipts[].newOnReceipt', example: '{"inner":1}' },
  ]);
});

test('the history of fees and rules joins the blocks of its L1', { tags: 'long' }, async () => {
  const blockchainIds = [devnet.ledger.l1s[0]?.blockchainId ?? ''];
  const { buildModels } = await import('../../src/transform/builds/buildModels.ts');
  await afterSync(
    {
      'node/evm_blocks': { blockchainIds },
      'node/evm_fee_config_history': { blockchainIds },
      'node/evm_active_rules_history': { blockchainIds },
    },
    async (warehouse) => {
      await buildModels(warehouse);
      // As the dictionary says it.
      const [said] = await warehouse.query<{ comment: string }>(
        "SELECT comment FROM duckdb_views() WHERE schema_name = 'mart' AND view_name = 'dim_fee_config'",
      );
      const [join] = /number >.*until_block\)/.exec(said?.comment ?? '') ?? [];
      const fees = await warehouse.query(
        `SELECT f.gas_limit::VARCHAR AS gas_limit, min(b."number") AS first, count(DISTINCT b."number") = count(*) AS once
         FROM mart.fct_block AS b JOIN mart.dim_fee_config AS f
           ON f.chain_id = b.chain_id AND ${join}
         GROUP BY ALL ORDER BY first`,
      );
      // The block that carries a change was made under the configuration before.
      expect(fees).toEqual([
        { gas_limit: '15000000', first: 1n, once: true },
        { gas_limit: '20000000', first: 131n, once: true },
      ]);
      const [unmatched] = await warehouse.query(
        `SELECT count(*) AS n FROM mart.fct_block AS b WHERE NOT EXISTS (SELECT 1 FROM mart.dim_evm_rule AS r
           WHERE r.chain_id = b.chain_id AND r.rule = 'IsDurango' AND r.is_active
             AND b.block_time >= r.from_time AND (r.until_time IS NULL OR b.block_time < r.until_time))`,
      );
      expect(unmatched).toEqual({ n: 0n });
      for (const [second, value] of [
        [0, 'true'],
        [10, 'true'],
        [30, 'true'],
        [40, 'false'],
      ] as const) {
        await warehouse.run(
          `INSERT INTO raw.node_evm_active_rules_history BY NAME SELECT '7' AS chain_id, make_timestamp(${second * 1_000_000}) AS from_time,
             'precompile' AS rule_set, 'minter' AS rule, ${value} AS is_active, '${value}' AS "value", 1 AS _load_id`,
        );
      }
      // At 20 the answer did not name it.
      await warehouse.run(
        `INSERT INTO raw.node_evm_active_rules_history BY NAME SELECT '7' AS chain_id, make_timestamp(20000000) AS from_time,
           'eth' AS rule_set, 'other' AS rule, 'x' AS "value", 1 AS _load_id`,
      );
      const minter = await warehouse.query(
        `SELECT "value", epoch(from_time)::INTEGER AS "from", epoch(until_time)::INTEGER AS until
         FROM mart.dim_evm_rule WHERE rule = 'minter' ORDER BY from_time`,
      );
      expect(minter).toEqual([
        { value: 'true', from: 0, until: 20 },
        { value: 'true', from: 30, until: 40 },
        { value: 'false', from: 40, until: null },
      ]);
    },
  );
});
