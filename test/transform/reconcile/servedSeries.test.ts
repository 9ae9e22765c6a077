/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { partitionKey } from '../../../src/core/stream/partition.ts';
import { noteBegun, readBegun } from '../../../src/load/commit/begun.ts';
import { dropStream } from '../../../src/run/upkeep/dropStream.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { servedSeries } from '../../../src/transform/reconcile/servedSeries.ts';
import { rowsThrough } from '../../rowsThrough.ts';
import { loadPoints } from '../loadServed.ts';
import { metricModels } from '../metricModels.ts';
import { chainMetrics } from '../metricSeries.ts';
import { temporaryWarehouse } from '../warehouse.ts';

test('a series that was dropped is asked for no more, one that never had a value still is', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const series = { chain: '43112', interval: 'day' };
  const answered = [{ timestamp: '1767225600', value: '1' }];
  await loadPoints(warehouse, { ...series, metric: 'gasUsed' }, answered, 0);
  await loadPoints(warehouse, { ...series, metric: 'txCount' }, answered, 0);
  await loadPoints(warehouse, { ...series, metric: 'feesPaid' }, [], 0);
  await buildModels(warehouse, { models: await metricModels() });
  const found = async () => (await servedSeries(warehouse, await readBegun(warehouse.query))).flat();
  const asked = async () => (await found()).map(({ metric }) => metric);
  expect(await asked()).toEqual(['feesPaid', 'gasUsed', 'txCount']);
  const drop = (metric: string) => {
    const values = { chain_id: series.chain, metric, time_interval: series.interval };
    return dropStream(warehouse, catalogue, chainMetrics.id, { partition: partitionKey({ values }) });
  };
  await drop('txCount');
  expect(await asked()).toEqual(['feesPaid', 'gasUsed']);
  // Asked for again, nothing may be served any more: from where on it is read tells that it is.
  for (const sql of noteBegun(
    chainMetrics.id,
    'chain_id=43112,metric=txCount,time_interval=day',
    '2026-01-02T15:00:00Z',
  ))
    await warehouse.run(sql);
  expect(await asked()).toEqual(['feesPaid', 'gasUsed', 'txCount']);
  // The first bucket that was asked for is the one in which that lies.
  expect((await found()).at(-1)?.begins).toBe(Date.UTC(2026, 0, 2) / 1000);
  await drop('txCount');
  expect(await asked()).toEqual(['feesPaid', 'gasUsed']);
  // Of a state that does not say from where on, how far it is read tells it.
  await warehouse.run(
    `INSERT INTO firn.checkpoint SELECT stream, "partition", '{"newest":0}', load_id, now()::TIMESTAMP FROM firn.load WHERE "partition" LIKE '%txCount%'`,
  );
  expect(await asked()).toEqual(['feesPaid', 'gasUsed', 'txCount']);
});

test('the partitions of loads are taken apart once each, however many loads there are', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  await buildModels(warehouse, { models: await metricModels() });
  await warehouse.run(`INSERT INTO firn.load BY NAME SELECT i AS load_id, 'r' AS run_id, '${chainMetrics.id}' AS stream,
    'chain_id=' || i % 3 || ',metric=txCount,time_interval=day' AS "partition", 1 AS pages, 1 AS rows_in, 0 AS rows_written, 0 AS rows_quarantined,
    1 AS bytes, now()::TIMESTAMP AS committed_at FROM range(1000) AS r (i)`);
  expect((await servedSeries(warehouse)).flat().map(({ chain }) => chain)).toEqual(['0', '1', '2']);
  const through = await rowsThrough(warehouse, (source) => servedSeries(source));
  const apart = through.filter(({ name }) => name === 'FILTER').map(({ rows }) => rows);
  expect(Math.max(...apart)).toBe(3);
});

test('chains that are small are compared together, one that is not by metrics and alone', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  await buildModels(warehouse, { models: await metricModels() });
  const rows = [
    ['1', 'txCount', 3],
    ['2', 'gasUsed', 3],
    ['3', 'gasUsed', 60],
    ['3', 'txCount', 60],
    ['4', 'txCount', 3],
    ['5', 'txCount', 3],
  ].map(
    ([chain, metric, buckets]) =>
      `SELECT '${chain}' AS chain_id, '${metric}' AS metric, 'day' AS time_interval, TIMESTAMP '2026-01-01' + n * INTERVAL 1 DAY AS "timestamp", 1 AS _load_id
       FROM range(${buckets}) AS r (n)`,
  );
  await warehouse.run(`INSERT INTO raw.metrics_chain_metrics BY NAME ${rows.join(' UNION ALL ')}`);
  const found = await servedSeries(warehouse, undefined, 150);
  expect(found.map((asked) => asked.map(({ chain, metric }) => `${chain} ${metric}`))).toEqual([
    ['1 txCount', '2 gasUsed'],
    ['3 gasUsed'],
    ['3 txCount'],
    ['4 txCount', '5 txCount'],
  ]);
  expect((await servedSeries(warehouse)).length).toBe(1);
});
