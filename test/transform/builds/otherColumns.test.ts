/** @module-tag long */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import type { Model } from '../../../src/transform/models/model.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { modelsUnder } from '../metricModels.ts';
import { type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

let own: TestWarehouse;
let models: readonly Model[];
beforeAll(async () => {
  own = await temporaryWarehouse();
  models = await modelsUnder(['mart.fct_block']);
  await loadMadeUp(own.warehouse, '1001', madeUpChain(5, 20));
});
beforeEach(() => own.warehouse.run('DELETE FROM firn.frozen'));
afterAll(() => own.dispose());

/** Builds firn's models and one more; gives what is told of those that fail, and the rows of that one. */
async function build(kept: string, select: string): Promise<{ broken: string[]; rows: Record<string, unknown>[] }> {
  const text = `/*\ndescription: what a test needs\nkept: ${kept}\n*/\n${select}`;
  const broken: string[] = [];
  await buildModels(own.warehouse, {
    models: [...models, parseModel('mart.own', '/my/models/mart/own.sql', text)],
    onBroken: ({ name, error }) => broken.push(`${name}: ${error.message}`),
  });
  return { broken, rows: await own.warehouse.query('FROM mart.own ORDER BY ALL') };
}

const ofBlocks = (columns: string) => `SELECT chain_id, ${columns} FROM mart.fct_block`;
const sights = (columns: string) =>
  `SELECT chain_id, ${columns} FROM staging.evm_block WHERE chain_id = getvariable('firn_chain') GROUP BY ALL`;

/** How a model is kept, and its SELECT. */
type Own = readonly [kept: string, select: string];

test.each<[string, Own, Own]>([
  [
    'hours by another column',
    ['table by block_time', ofBlocks('block_time')],
    ['table by moment', ofBlocks('block_time AS moment')],
  ],
  [
    'a type that its values do not fit',
    ['table by block_time', ofBlocks(`block_time, 'x' AS size`)],
    ['table by block_time', ofBlocks('block_time, size')],
  ],
  [
    'fewer digits than its values',
    ['table by block_time', ofBlocks('block_time, 1.25 AS size')],
    ['table by block_time', ofBlocks('block_time, 1.5 AS size')],
  ],
  [
    'a key of more columns',
    ['earliest by chain_id, miner', sights('miner, min(block_time) AS first')],
    ['earliest by chain_id, miner, source', sights('miner, source, min(block_time) AS first')],
  ],
  [
    'columns that are no times',
    ['table', sights('miner, count(*) AS blocks').replace(/ WHERE \S+ = \S+/, '')],
    ['earliest by chain_id, miner', sights('miner, min(block_time) AS blocks')],
  ],
])('a model that has %s by now, which rows of dropped blocks lack, stays as it was, alone', async (_, was, is) => {
  const before = await build(...was);
  expect(before).toEqual({
    broken: [],
    rows: expect.arrayContaining([expect.objectContaining({ chain_id: '1001' })]),
  });
  await own.warehouse.run(
    `INSERT INTO firn.frozen SELECT chain_id, date_trunc('hour', max(block_time)) FROM mart.fct_block GROUP BY chain_id`,
  );
  const { broken, rows } = await build(...is);
  expect(broken).toEqual([
    expect.stringMatching(
      /^mart\.own: \/my\/models\/mart\/own\.sql:5: .* Its table holds rows whose raw rows were dropped/,
    ),
  ]);
  expect(rows).toEqual(before.rows);
});

test('a table by hours that could not be built has the columns of its SQL of now once it can be', async () => {
  const price = (text: string) => own.warehouse.run(`CREATE OR REPLACE TABLE refs.prices AS SELECT '${text}' AS price`);
  const buildOf = (columns: string) =>
    build('table by block_time', `${ofBlocks(`block_time, ${columns}`)}, refs.prices WHERE CAST(price AS INTEGER) > 0`);
  await price('1');
  const { rows } = await buildOf('"number" AS a, gas_used AS b');
  await price('x');
  const other = 'gas_used AS b, "number" AS a';
  expect(await buildOf(other)).toMatchObject({ broken: [expect.stringContaining('Conversion Error')], rows });
  await price('1');
  const { broken, rows: made } = await buildOf(other);
  expect(broken).toEqual([]);
  expect(made).toEqual(expect.arrayContaining(rows));
});

test.each([
  ['other digits', 'SELECT 1.25 AS usd, 2.5 AS eur', '1.25'],
  ['another order', 'SELECT 2.5 AS eur, 1.5 AS usd', '1.5'],
])(
  'a table by hours that reads all columns of a CSV, which have %s by now, is built whole in the same build',
  async (_, csv, usd) => {
    const { warehouse } = own;
    const prices = (sql: string) =>
      warehouse.run(`CREATE OR REPLACE TABLE refs.prices AS ${sql}; UPDATE firn.build_state SET files_hash = ''`);
    const buildPriced = () => build('table by block_time', `${ofBlocks('block_time, p.*')}, refs.prices AS p`);
    const newest = `SELECT chain_id, date_trunc('hour', max(block_time)) AS until FROM mart.fct_block GROUP BY chain_id`;
    const shown = () =>
      warehouse.query(
        `SELECT DISTINCT block_time >= until AS is_new, CAST(usd AS DOUBLE) AS usd, CAST(eur AS DOUBLE) AS eur
       FROM mart.own JOIN (${newest}) AS newest USING (chain_id) ORDER BY ALL`,
      );
    await prices('SELECT 1.5 AS usd, 2.5 AS eur');
    expect(await buildPriced()).toMatchObject({ broken: [] });
    await prices(csv);
    expect(await buildPriced()).toMatchObject({ broken: [] });
    const now = { usd: Number(usd), eur: 2.5 };
    expect(await shown()).toEqual([false, true].map((is_new) => ({ is_new, ...now })));
    // Rows of dropped blocks stay, by the names of their columns.
    await warehouse.run(`INSERT INTO firn.frozen ${newest}`);
    await prices('SELECT 2.5 AS eur, 10.125 AS usd');
    expect(await buildPriced()).toMatchObject({ broken: [] });
    expect(await shown()).toEqual([
      { is_new: false, ...now },
      { is_new: true, ...now, usd: 10.125 },
    ]);
  },
);
