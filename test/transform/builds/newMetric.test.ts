/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasFailed, runAudits } from '../../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { metricsOf } from '../../../src/transform/models/metricsOf.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

/** A metric that firn does not have: nothing but its file. */
const file = `/*
description: number of transactions that failed.
metric:
  rank: 99
  title: Failed transactions
  unit: transactions
  intervals: [day]
  needs: receipts
  contributors: SELECT * FROM mart.fct_block WHERE chain_id = $chain AND block_time >= $from AND block_time < $until
*/
SELECT
  b.chain_id,
  'failedTxCount' AS metric,
  b.time_interval,
  b.bucket,
  CAST(coalesce(sum(f.failed_tx_count), 0) AS DECIMAL(38,0)) AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  b.receipts_covered AS covered
FROM firn.coverage AS b
LEFT JOIN mart.fct_block AS f ON f.chain_id = b.chain_id AND date_trunc('day', f.block_time) = b.bucket AND f."number" > 0
WHERE b.time_interval = 'day' AND in_buckets(b.chain_id, b.time_interval, b.bucket)
GROUP BY b.chain_id, b.time_interval, b.bucket, b.receipts_covered
`;

const blocks = madeUpChain(5, 20);
let own: TestWarehouse;

beforeAll(async () => {
  own = await temporaryWarehouse();
  await loadMadeUp(own.warehouse, '1001', blocks);
}, 60_000);
afterAll(() => own.dispose());

test('is its file: its rows, its column, its place and its comments follow', async () => {
  const metric = parseModel('mart.metric_failedTxCount', 'mart/metric_failedTxCount.sql', file);
  const models = [...(await readModels()), metric];
  expect(metricsOf(models).at(-1)?.name).toBe('failedTxCount');
  await buildModels(own.warehouse, { models });
  const days = await own.warehouse.query<{ long: string; wide: string }>(
    `SELECT CAST(m.numerator AS VARCHAR) AS long, CAST(d.failed_tx_count AS VARCHAR) AS wide
     FROM mart.metric AS m JOIN mart.metric_daily AS d ON d.chain_id = m.chain_id AND d."day" = CAST(m.bucket AS DATE)
     WHERE m.metric = 'failedTxCount' AND m.time_interval = 'day' AND m.sql_hash IS NOT NULL`,
  );
  const failed = blocks.flatMap(({ transactions }) => transactions.filter((tx) => tx.failed)).length;
  expect(failed).toBeGreaterThan(0);
  expect(days.reduce((sum, { long }) => sum + Number(long), 0)).toBe(failed);
  expect(days.filter(({ long, wide }) => long !== wide)).toEqual([]);
  const comments = await own.warehouse.query(
    `SELECT comment FROM duckdb_columns() WHERE table_name = 'metric_daily' AND column_name = 'failed_tx_count'
     UNION ALL SELECT comment FROM duckdb_views() WHERE view_name = 'metric_failedTxCount'`,
  );
  expect(comments).toEqual([
    { comment: 'Failed transactions (failedTxCount) [transactions].' },
    {
      comment: 'failedTxCount: number of transactions that failed. Unit: transactions. Interval: day. Needs receipts.',
    },
  ]);
});

test('goes with its file, also where its past would be kept because raw rows were dropped', async () => {
  const { warehouse } = own;
  const metrics = async () =>
    (await warehouse.query('SELECT DISTINCT metric FROM mart.metric ORDER BY metric')).map(({ metric }) => metric);
  const before = await metrics();
  expect(before).toContain('failedTxCount');
  await warehouse.run(`INSERT INTO firn.frozen SELECT chain_id, max(bucket_end) FROM firn.coverage GROUP BY chain_id`);
  await buildModels(warehouse, { models: await readModels() });
  expect(await metrics()).toEqual(before.filter((metric) => metric !== 'failedTxCount'));
  await warehouse.run('DELETE FROM firn.frozen');
});

test('may be a quotient: its column of doubles is no amount to an audit', async () => {
  const text = file
    .replaceAll('failedTxCount', 'failedShare')
    .replace('needs: receipts', 'needs: receipts\n  quotient: true');
  const metric = parseModel('mart.metric_failedShare', 'mart/metric_failedShare.sql', text);
  await buildModels(own.warehouse, { models: [...(await readModels()), metric] });
  const results = await runAudits(own.warehouse);
  expect(results.filter(hasFailed).map(({ name, example }) => [name, example])).toEqual([]);
});

test('has audits look at all that is built with it: they passed what other models made', async () => {
  const { warehouse } = own;
  const passed = async () => (await warehouse.query('FROM firn.audit_state')).length;
  await buildModels(warehouse, { models: await readModels() });
  expect(await passed()).toBe(0);
  await runAudits(warehouse);
  expect(await passed()).toBeGreaterThan(0);
  await loadMadeUp(warehouse, '1001', madeUpChain(5, 21).slice(20));
  await buildModels(warehouse, { models: await readModels() });
  expect(await passed()).toBeGreaterThan(0);
});
