/** @module-tag long */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { changedOf, type Model } from '../../../src/transform/models/model.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { modelsUnder } from '../metricModels.ts';
import { emptyNetwork, type Step, steps } from '../primaryNetwork.ts';
import { forgetBuild, type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

const runs = Number(process.env['FIRN_PROPERTY_RUNS'] ?? 8);
/** The tables whose headers say what may have changed, and what they are built on. */
let shown: readonly string[];

let built: TestWarehouse;
let models: readonly Model[];
beforeAll(async () => {
  built = await temporaryWarehouse();
  const told = (await readModels()).filter((model) => changedOf(model).length > 0);
  shown = [...told.map(({ name }) => name), 'mart.fct_staking'];
  models = await modelsUnder([...shown, 'staging.primary_change']);
}, 60_000);
afterAll(() => built.dispose());

/** Rows that stand in the tables and not in what their SELECTs give by hand, or the other way round. */
async function wrongRows(): Promise<Record<string, unknown>[]> {
  const wrong: Record<string, unknown>[] = [];
  for (const { name, sql } of models.filter((model) => shown.includes(model.name)))
    wrong.push(
      ...(await built.warehouse.query(
        `WITH in_table AS MATERIALIZED (FROM ${name}), by_hand AS MATERIALIZED (${sql}\n)
         SELECT '${name}' AS relation, 'table' AS side, * FROM (FROM in_table EXCEPT ALL FROM by_hand)
         UNION ALL SELECT '${name}', 'select', * FROM (FROM by_hand EXCEPT ALL FROM in_table)`,
      )),
    );
  return wrong;
}

test('tables of which only changed rows are built show what all of them would', async () => {
  const { warehouse } = built;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const take = await emptyNetwork(warehouse);
      await forgetBuild(warehouse);
      for (const step of all) {
        await take(step);
        if (!step.build) continue;
        await buildModels(warehouse, { models });
        expect(await wrongRows()).toEqual([]);
      }
    }),
    { numRuns: runs, interruptAfterTimeLimit: 240_000 },
  );
});

/** A P-Chain block with a transaction of its own that makes an output, and what it has beside these. */
const block = (height: number, more: Step['rows'] = {}): Step => {
  const at = { tx_id: `t${height}`, position: 0, block_height: height };
  return {
    place: { index_name: 'P/block', index: height },
    rows: {
      containers_p_blocks: [{ height, block_type: 'BanffStandardBlock', timestamp: `2026-01-0${height} 10:00:00` }],
      containers_p_transactions: [{ ...at, tx_type: 'BaseTx', is_proposal: false }],
      containers_p_outputs: [
        {
          ...at,
          output_index: 0,
          utxo_id: `u${height}`,
          asset_id: 'avax',
          amount: 5,
          destination: 'output',
          destination_chain_id: 'x-chain',
          locktime: 0,
        },
      ],
      ...more,
    },
    build: true,
  };
};

test('rows that no load changed are left alone, and all are built where rows changed or went', async () => {
  const { warehouse } = built;
  const own = parseModel(
    'mart.own',
    'mart/own.sql',
    `/*
description: what a test needs
kept: table
changed:
  tx_id: SELECT nullif(tx_id, 't4') AS tx_id FROM raw.node_containers_p_outputs WHERE in_new_loads(_load_id)
*/
SELECT DISTINCT tx_id, uuid() AS built FROM raw.node_containers_p_outputs`,
  );
  const take = await emptyNetwork(warehouse);
  await forgetBuild(warehouse);
  const stakings = {
    containers_p_staking: [
      {
        tx_id: 't1',
        position: 0,
        block_height: 1,
        role: 'validator',
        node_id: 'n1',
        weight: 7,
        end_time: '2026-02-01 00:00:00',
      },
    ],
  };
  const spent = {
    containers_p_inputs: [{ tx_id: 't3', position: 0, utxo_id: 'u1', asset_id: 'avax', amount: 5, source: 'input' }],
  };
  const loads: (readonly [Step, string[]])[] = [
    [block(1, stakings), ['t1']],
    [block(2), ['t2']],
    [block(3, spent), ['t3']],
    // One that cannot be told by its key.
    [block(4), ['t1', 't2', 't3', 't4']],
    [block(5), ['t5']],
    [block(2, { containers_p_outputs: [] }), ['t1', 't3', 't4', 't5']],
  ];
  const before = new Map<string, string>();
  for (const [step, fresh] of loads) {
    await take(step);
    await buildModels(warehouse, { models: [...models, own] });
    const rows = await warehouse.query<{ tx_id: string; built: string }>(
      'SELECT tx_id, CAST(built AS VARCHAR) AS built FROM mart.own ORDER BY tx_id',
    );
    expect(rows.filter((row) => before.get(row.tx_id) !== row.built).map((row) => row.tx_id)).toEqual(fresh);
    for (const row of rows) before.set(row.tx_id, row.built);
    expect(await wrongRows()).toEqual([]);
  }
  const marked = [
    'UPDATE mart.fct_utxo SET amount = 9',
    'UPDATE mart.fct_primary_transaction SET memo = 9',
    'UPDATE mart.fct_validator_day SET weight = 9',
  ];
  await warehouse.run(marked.join('; '));
  await take(
    block(6, {
      containers_p_inputs: [{ tx_id: 't6', position: 0, utxo_id: 'u5', asset_id: 'avax', amount: 5, source: 'input' }],
    }),
  );
  await buildModels(warehouse, { models: [...models, own] });
  expect(
    await warehouse.query(
      `SELECT (SELECT string_agg(utxo_id, ' ' ORDER BY utxo_id) FROM mart.fct_utxo WHERE amount <> 9) AS utxos,
         (SELECT string_agg(tx_id, ' ') FROM mart.fct_primary_transaction WHERE memo IS NULL) AS transactions,
         (SELECT string_agg(CAST("day" AS VARCHAR), ' ' ORDER BY "day") FROM mart.fct_validator_day WHERE weight <> 9) AS days`,
    ),
  ).toEqual([{ utxos: 'u5 u6', transactions: 't6', days: '2026-01-05 2026-01-06' }]);
  // No load tells what another name of a chain changes.
  await warehouse.run("UPDATE firn.chain SET alias = 'Q' WHERE alias = 'X'");
  await take(block(7));
  await buildModels(warehouse, { models });
  expect(await wrongRows()).toEqual([]);
});

test('every transaction is built again where a staking of the Primary Network tells that another asset is AVAX', async () => {
  const take = await emptyNetwork(built.warehouse);
  await forgetBuild(built.warehouse);
  const staking = {
    tx_id: 't2',
    position: 0,
    block_height: 2,
    subnet_id: '11111111111111111111111111111111LpoYY',
    stake_asset_id: 'other',
  };
  for (const step of [block(1), block(2, { containers_p_staking: [staking] })]) {
    await take(step);
    await buildModels(built.warehouse, { models });
  }
  expect(await wrongRows()).toEqual([]);
  const told = 'SELECT count(amount_avax) AS of_avax FROM mart.fct_utxo';
  expect(await built.warehouse.query(told)).toEqual([{ of_avax: 0n }]);
});

test('what is wrong in a SELECT of a header is told with its file, key and line', async () => {
  const wrong = (sql: string) =>
    parseModel(
      'mart.own',
      'mart/own.sql',
      `/*\ndescription: what a test needs\nkept: table\nchanged:\n  tx_id: |\n    SELECT tx_id\n    ${sql}\n*/\nSELECT tx_id FROM raw.node_containers_p_outputs`,
    );
  const take = await emptyNetwork(built.warehouse);
  await forgetBuild(built.warehouse);
  await take(block(1));
  const build = (model: Model) => buildModels(built.warehouse, { models: [...models, model] });
  await expect(build(wrong('FROM WHERE'))).rejects.toThrow(
    /^mart\/own\.sql: the header's changed\.tx_id:2: It is not one SELECT/,
  );
  const other = wrong('FROM raw.node_containers_p_outputs WHERE other');
  await build(other);
  await take(block(2));
  await expect(build(other)).rejects.toThrow(/^mart\/own\.sql: the header's changed\.tx_id:2: .*"other"/);
});

/** A validator that the node alone lists. */
const validator: Step = {
  place: { tx_id: 't0' },
  rows: {
    platform_validators: [
      { tx_id: 't0', node_id: 'n9', start_time: '2025-12-30', weight: 3, _valid_from: '2026-01-04' },
    ],
  },
  build: true,
};

test('a block from before all others brings validators of days before them', async () => {
  const { warehouse } = built;
  const take = await emptyNetwork(warehouse);
  await forgetBuild(warehouse);
  const listed = {
    tx_id: 't0',
    node_id: 'n9',
    start_time: '2025-12-30 00:00:00',
    weight: 3,
    _valid_from: '2026-01-04',
  };
  await take({ place: { tx_id: 't0' }, rows: { platform_validators: [listed] }, build: true });
  const early = { height: 0, block_type: 'BanffStandardBlock', timestamp: '2025-12-31 10:00:00' };
  const days = async (step: Step) => {
    await take(step);
    await buildModels(warehouse, { models });
    expect(await wrongRows()).toEqual([]);
    return warehouse.query('SELECT CAST("day" AS VARCHAR) AS "day" FROM mart.fct_validator_day ORDER BY "day"');
  };
  expect(await days(block(1))).toEqual([{ day: '2026-01-01' }]);
  expect(await days(block(0, { containers_p_blocks: [early] }))).toEqual([
    { day: '2025-12-31' },
    { day: '2026-01-01' },
  ]);
});

test('a late commit of an AdvanceTimeTx brings the days by which the Apricot blocks after it are later', async () => {
  const { warehouse } = built;
  const take = await emptyNetwork(warehouse);
  await forgetBuild(warehouse);
  const apricot = (height: number, block_type: string, more: Step['rows'] = {}) =>
    take(block(height, { containers_p_blocks: [{ height, block_type, timestamp: null }], ...more }));
  const advance = { tx_id: 't2', tx_type: 'AdvanceTimeTx', position: 0, block_height: 2, is_proposal: true };
  await take(validator);
  await take(block(1));
  await apricot(2, 'ApricotProposalBlock', { containers_p_transactions: [{ ...advance, chain_time: '2026-01-04' }] });
  await apricot(4, 'ApricotStandardBlock');
  await buildModels(warehouse, { models });
  await apricot(3, 'ApricotCommitBlock');
  await buildModels(warehouse, { models });
  expect(await wrongRows()).toEqual([]);
  expect(await warehouse.query('SELECT CAST(count(*) AS INTEGER) AS days FROM mart.fct_validator_day')).toEqual([
    { days: 4 },
  ]);
});
