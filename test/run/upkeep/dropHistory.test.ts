import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { dropHistory } from '../../../src/run/upkeep/dropHistory.ts';
import { hasFailed, runAudits } from '../../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { some } from '../../some.ts';
import { loadMadeUp, type MadeUpBlock, madeUpChain } from '../../transform/madeUpChain.ts';
import { loadWorld } from '../../transform/oracle/load.ts';
import { containersOf } from '../../transform/oracle/loads.ts';
import { plainWorld } from '../../transform/oracle/world.ts';
import { forgetBuild, type TestWarehouse, temporaryWarehouse } from '../../transform/warehouse.ts';

const day = 86_400;
const begin = Date.UTC(2025, 0, 1) / 1000;
/** Blocks a week apart, so that few of them lie in months. */
const spread = (blocks: MadeUpBlock[]) => blocks.map((block, i) => ({ ...block, time: begin + i * 7 * day + i }));
const histories = { '1001': spread(madeUpChain(7, 18)), '1002': spread(madeUpChain(8, 18)) };

let cut: TestWarehouse;
let whole: TestWarehouse;

beforeAll(async () => {
  cut = await temporaryWarehouse();
  whole = await temporaryWarehouse();
});

afterAll(async () => {
  await cut.dispose();
  await whole.dispose();
});

async function load(chain: keyof typeof histories, from: number, to: number): Promise<void> {
  for (const { warehouse } of [cut, whole]) await loadMadeUp(warehouse, chain, histories[chain].slice(from, to));
}

const rowsOf = (warehouse: Warehouse, table: string) => warehouse.query(`FROM ${table} ORDER BY ALL`);

async function expectSame(): Promise<void> {
  const kept = (await readModels()).filter(({ keptAs }) => keptAs.kind !== 'view');
  for (const { name } of some(kept))
    expect(await rowsOf(cut.warehouse, name), name).toEqual(await rowsOf(whole.warehouse, name));
}

test('old raw rows go, and every metric stays and goes on, also when models are built from nothing', {
  tags: 'long',
}, async () => {
  await load('1001', 0, 14);
  // The other chain has been quiet for long.
  await load('1002', 0, 4);
  const { warehouse } = cut;
  const refused = () =>
    expect(dropHistory(warehouse, catalogue, { keep: { days: 40 } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('firn build'),
    });
  await refused();
  for (const { warehouse: each } of [cut, whole]) await buildModels(each);
  const blocks = async () =>
    (await warehouse.query('SELECT chain_id, count(*) AS n FROM raw.node_evm_blocks GROUP BY 1 ORDER BY 1')).map(
      ({ n }) => Number(n),
    );
  expect(await blocks()).toEqual([14, 4]);
  const { before, dropped } = await dropHistory(warehouse, catalogue, { keep: { days: 40 } });
  expect(before).toBe('2025-02-01 00:00:00');
  expect(dropped.map(({ table }) => table)).toContain('raw.node_evm_transactions');
  expect(await blocks()).toEqual([9, 4]);

  await load('1001', 14, 16);
  await load('1002', 4, 7);
  // What has come since the build is in no table yet.
  await refused();
  // What another version of the models does, with some that are new.
  for (const name of ['address_day', 'address_first_seen', 'token_first_seen'])
    await warehouse.run(`DROP TABLE mart.${name}`);
  await warehouse.run(`UPDATE firn.build_state SET models_hash = 'older', files_hash = 'older'`);
  for (const { warehouse: each } of [cut, whole]) await buildModels(each);
  await expectSame();

  await dropHistory(warehouse, catalogue, { keep: { days: 5 } });
  await load('1001', 16, 18);
  for (const { warehouse: each } of [cut, whole]) await buildModels(each);
  await expectSame();
  expect((await rowsOf(warehouse, 'firn.frozen')).length).toBe(2);

  // A later version may count what was not kept: buckets that had ended keep their numbers, and say which version they are of.
  const old = `chain_id = '1001' AND bucket < '2025-02-10'`;
  await warehouse.run(`UPDATE mart.metric SET sql_hash = 'an older one' WHERE ${old}`);
  await forgetBuild(warehouse);
  await buildModels(warehouse);
  expect(await warehouse.query(`SELECT DISTINCT sql_hash FROM mart.metric WHERE ${old}`)).toEqual([
    { sql_hash: 'an older one' },
  ]);
});

test('a quiet chain keeps all of its days and the distance to genesis, and takes what comes in its newest hour', {
  tags: 'long',
}, async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const at = (time: string, number: number) => ({
    number,
    time: Date.parse(time) / 1000,
    transactions: [{ from: 1, to: 2, gasUsed: 21_000, price: 1n }],
  });
  const blocks = ['2025-02-03T10:00Z', '2025-02-03T10:20Z', '2025-03-25T09:10Z', '2025-03-25T09:20Z'];
  const genesis = { ...at('2020-12-05T00:00Z', 0), transactions: [] };
  const history = [genesis, ...blocks.map((time, i) => at(time, i + 1))];
  const metrics = () => rowsOf(warehouse, 'mart.metric');

  await loadMadeUp(warehouse, '1003', history.slice(0, 4));
  await buildModels(warehouse);
  const before = await metrics();
  const { dropped } = await dropHistory(warehouse, catalogue, { keep: { from: new Date('2025-02-10') } });
  expect(dropped).toEqual([{ table: 'raw.node_evm_blocks', rows: 1 }]);
  await forgetBuild(warehouse);
  await buildModels(warehouse);
  expect(await metrics()).toEqual(before);

  // Were February gone, the first block that stays would have lost the one before it, and nothing could be added to its hour.
  await dropHistory(warehouse, catalogue, { keep: { from: new Date('2025-03-10') } });
  await loadMadeUp(warehouse, '1003', history.slice(4));
  await buildModels(warehouse);
  expect(
    await warehouse.query('SELECT CAST(count(*) AS INTEGER) AS held, bool_and(linked) AS linked FROM mart.fct_block'),
  ).toEqual([{ held: 5, linked: true }]);
});

test('where rows go from which no hour is built, blocks below are still built', { tags: 'long' }, async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const history = histories['1001'];
  await loadMadeUp(warehouse, '1001', history.slice(4, 14));
  await warehouse.run(`INSERT INTO firn.load BY NAME SELECT * REPLACE ((SELECT max(load_id) FROM firn.load) + 1 AS load_id, 'data/address_transactions' AS stream) FROM firn.load LIMIT 1;
    INSERT INTO raw.data_address_transactions (chain_id, address, block_number, block_timestamp, tx_hash, "value", _load_id)
    SELECT '1001', '0xa', i, TIMESTAMP '2024-12-01' + to_days(i), '0x' || i, 1, (SELECT max(load_id) FROM firn.load) FROM range(100) AS r(i)`);
  await buildModels(warehouse);
  const keep = { from: new Date('2025-03-01') };
  const drop = (table: string) => dropHistory(warehouse, catalogue, { keep, tables: [table] });
  expect((await drop('data_address_transactions')).dropped).toMatchObject([{ table: 'raw.data_address_transactions' }]);
  expect(await rowsOf(warehouse, 'firn.frozen')).toEqual([]);
  await loadMadeUp(warehouse, '1001', history.slice(0, 4));
  await buildModels(warehouse);
  expect(await rowsOf(warehouse, 'mart.fct_block')).toHaveLength(14);
  expect((await drop('node_evm_logs')).dropped).toMatchObject([{ table: 'raw.node_evm_logs' }]);
  expect(await rowsOf(warehouse, 'firn.frozen')).toMatchObject([{ chain_id: '1001' }]);
});

test('a chain that is still read below its newest blocks waits, in two ways or by a backfill', {
  tags: 'long',
}, async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  await warehouse.run(`INSERT INTO firn.chain VALUES ('43112', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
  const { blocks } = plainWorld(8);
  const monthly = {
    hasIndex: true,
    blocks: blocks.map((block) => ({ ...block, time: Date.UTC(2026, block.number) / 1000 })),
  };
  const readOn = async (source: 'node' | 'containers', from: number, until: number) => {
    await loadWorld(warehouse, '43112', monthly, { ...containersOf(from, until), source });
    await buildModels(warehouse);
  };
  const drop = () => dropHistory(warehouse, catalogue, { keep: { from: new Date('2026-07-01') } });
  const all = { dropped: [], waiting: ['43112', 'C/block'] };
  await readOn('containers', 1, 3);
  await readOn('node', 5, 8);
  expect(await drop()).toMatchObject(all);
  await readOn('containers', 3, 5);
  const backfill = ['node/containers', 'index_name=C/block|backfill'];
  await warehouse.run(`INSERT INTO firn.checkpoint VALUES ('${backfill.join(`', '`)}', '{}', 1, now()::TIMESTAMP)`);
  expect(await drop()).toMatchObject(all);
  await warehouse.run('DELETE FROM firn.checkpoint');
  expect((await drop()).dropped.map(({ table }) => table)).toEqual(
    expect.arrayContaining(['raw.node_containers_c_blocks', 'raw.node_evm_blocks']),
  );
  expect(
    await warehouse.query('SELECT CAST(count(*) AS INTEGER) AS held, bool_and(linked) AS linked FROM mart.fct_block'),
  ).toEqual([{ held: 7, linked: true }]);
});

test('where only some tables lose rows, audits that look at all find nothing wrong with the others', {
  tags: 'long',
}, async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  await warehouse.run(`INSERT INTO firn.chain VALUES ('43112', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
  const log = { kind: 'other', topics: [1], isPadded: false } as const;
  const paid = { type: 0, gasUsed: 21_000, paid: 1n, maxFee: null, isPriceTold: true, status: 1 } as const;
  const transactions = [{ from: 1, to: 2, ...paid, logs: [log], calls: [] }];
  const blocks = plainWorld(8).blocks.map((block) => ({
    ...block,
    time: Date.UTC(2026, block.number) / 1000,
    transactions: block.number === 0 ? [] : transactions,
  }));
  for (const source of ['containers', 'node'] as const)
    await loadWorld(warehouse, '43112', { hasIndex: true, blocks }, { ...containersOf(1, 8), source });
  await buildModels(warehouse);
  const keep = { from: new Date('2026-06-01') };
  const wrong = async () =>
    (await runAudits(warehouse)).filter((audit) => audit.severity === 'blocks' && hasFailed(audit));
  // Those to which rows of others belong go first.
  for (const name of [
    'node_evm_transactions',
    'node_evm_receipts',
    'node_containers_c_transactions',
    'node_evm_blocks',
    'node_containers_c_blocks',
    'node_containers',
    'node_evm_trace_status',
    'node_evm_traces',
    'node_evm_logs',
  ]) {
    expect((await dropHistory(warehouse, catalogue, { keep, tables: [name] })).dropped).toHaveLength(1);
    await warehouse.run('DELETE FROM firn.audit_state');
    expect(await wrong(), name).toEqual([]);
  }
  await forgetBuild(warehouse);
  await buildModels(warehouse);
  expect(await wrong()).toEqual([]);
  // In the time that stays they find what is missing.
  for (const name of ['transactions', 'receipts']) await warehouse.run(`DELETE FROM raw.node_evm_${name}`);
  await warehouse.run('DELETE FROM raw.node_containers_c_transactions; DELETE FROM firn.audit_state');
  expect((await wrong()).map((audit) => [audit.name, audit.failedRows])).toEqual([
    ['assert_logs_belong_to_receipts', 2],
    ['assert_node_decoded_transactions_complete', 2],
    ['assert_traces_begin_with_their_transaction', 2],
  ]);
});

test('nothing is dropped while a model that needs it could not be built, or is another one than was built, or chains became known', {
  tags: 'long',
}, async () => {
  const { warehouse } = cut;
  await load('1001', 16, 17);
  const models = await readModels();
  const drop = (of = models) => dropHistory(warehouse, catalogue, { keep: { days: 5 }, models: of, dryRun: true });
  const own = (sql: string) =>
    parseModel(
      'mart.own',
      '/my/models/mart/own.sql',
      `/*\ndescription: what a test needs\nkept: table by block_time\n*/\nSELECT chain_id, block_time, ${sql} AS own FROM mart.fct_block`,
    );
  const failing = [...models, own('CAST(hash AS INTEGER)')];
  await buildModels(warehouse, { models: failing, onBroken: () => {} });
  const refusal = { code: 'usage', message: expect.stringContaining('Run "firn build" first') };
  await expect(drop(failing)).rejects.toMatchObject(refusal);
  await buildModels(warehouse, { models });
  await expect(drop()).resolves.toMatchObject({ before: expect.anything() });
  await expect(drop([...models, own('hash')])).rejects.toMatchObject(refusal);
  // Rows of a chain that has become known since are in no table.
  await warehouse.run(`INSERT INTO firn.chain VALUES ('43112', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
  await expect(drop()).rejects.toMatchObject(refusal);
  await warehouse.run(`DELETE FROM firn.chain WHERE chain_id = '43112'`);
});

test('what tables are made of whole cannot be dropped, nor served values', async () => {
  const drop = (table: string) => dropHistory(cut.warehouse, catalogue, { keep: { days: 5 }, tables: [table] });
  for (const table of ['node_containers_p_transactions', 'node_containers_p_subnets', 'metrics_chain_metrics'])
    await expect(drop(table)).rejects.toMatchObject({ code: 'usage' });
});
