import { expect, onTestFinished, test } from 'vitest';
import { contradictionsSql } from '../../../src/transform/reconcile/contradictionsSql.ts';
import { temporaryWarehouse } from '../warehouse.ts';

type Judged = readonly [chain: string, metric: string, interval: string, isSettled: boolean];

const level: Judged = ['C', 'cumulativeTxCount', 'day', true];
const daily: Judged = ['C', 'txCount', 'day', true];
const hourly: Judged = ['C', 'txCount', 'hour', true];
const weekly: Judged = ['C', 'txCount', 'week', true];
const monthly: Judged = ['C', 'txCount', 'month', true];

test.each<[string, boolean, readonly Judged[], bigint]>([
  ['settled in both', false, [level, daily], 1n],
  ['on which they agree', true, [level, daily], 0n],
  ['whose level is not settled', false, [['C', 'cumulativeTxCount', 'day', false], daily], 0n],
  ['whose number is not settled', false, [level, ['C', 'txCount', 'day', false]], 0n],
  ['that begins as settled hours, weeks and months do', false, [level, daily, hourly, weekly, monthly], 1n],
  ['of which only the hour is settled', false, [level, hourly], 0n],
  ['that is settled for another chain', false, [level, ['D', 'txCount', 'day', true]], 0n],
  ['whose level is settled for another chain', false, [['D', 'cumulativeTxCount', 'day', true], daily], 0n],
  ['of which another metric is settled', false, [level, ['C', 'gasUsed', 'day', true]], 0n],
])('a day %s', async (_, agrees, judged, days) => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const at = `TIMESTAMP '2026-01-05'`;
  const rows = judged.map(
    ([chain, metric, interval, isSettled]) =>
      `SELECT '${chain}' AS chain_id, '${metric}' AS metric, '${interval}' AS time_interval, ${at} AS bucket, 'equal' AS verdict, ${isSettled} AS served_settled, '' AS query`,
  );
  await warehouse.run(
    `INSERT INTO mart.served_consistency BY NAME SELECT 'C' AS chain_id, ${at} AS bucket, '7' AS served_difference, '6' AS served_tx_count, ${agrees} AS agrees;
     INSERT INTO mart.reconciliation BY NAME ${rows.join(' UNION ALL ')}`,
  );
  expect(await warehouse.query(contradictionsSql)).toEqual([{ days }]);
});
