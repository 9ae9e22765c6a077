import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import type { ToPaste } from '../../../src/core/text/toPaste.ts';
import { queryOf } from '../../../src/load/database/transaction.ts';
import type { Interval } from '../../../src/transform/bucketTime.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { explain } from '../../../src/transform/reconcile/explain.ts';
import { loadPoints } from '../loadServed.ts';
import { temporaryWarehouse } from '../warehouse.ts';

const models = await readModels();
/** One that holds nothing of its chain. */
const nothing = { query: async <R>() => [{ chain_id: '7001' }] as R[] };

test.each<[bucket: string, interval: Interval, start: string]>([
  ['2026-02-10', 'day', '2026-02-10 00:00:00'],
  ['2026-02-10', 'week', '2026-02-09 00:00:00'],
  ['2026-02', 'month', '2026-02-01 00:00:00'],
  ['2026-02', 'day', '2026-02-01 00:00:00'],
  ['2026-02-10T14:20:00', 'hour', '2026-02-10 14:00:00'],
  ['2026-02-10 14:20', 'hour', '2026-02-10 14:00:00'],
  ['2026-02-10T14:20:00+02:00', 'hour', '2026-02-10 12:00:00'],
  ['1770681600', 'day', '2026-02-10 00:00:00'],
])('%s by %s is the bucket from %s', async (bucket, interval, start) => {
  expect((await explain(nothing, models, { chain: '7001', metric: 'txCount', bucket, interval })).bucket).toBe(start);
});

test.each<[metric: string, bucket: string, interval: Interval, message: string]>([
  ['txCount', '20260207', 'day', '"20260207" is not a time. Write a date such as 2026-02-07, a month'],
  ['txCount', '20261399', 'day', '"20261399" is not a time. Write a date such as 2026-02-10, a month'],
  ['txCount', '202602', 'month', '"202602" is not a time.'],
  ['txCount', '2026-13', 'month', '"2026-13" is not a time.'],
  ['txCount', '2026-02-31', 'day', '"2026-02-31" is not a time.'],
  ['txCount', '1770681600000', 'day', '"1770681600000" is not a time.'],
  ['contracts', '2026-02-07', 'hour', 'contracts is computed by day only.'],
  ['txCuont', '2026-02-07', 'day', 'There is no metric "txCuont". Did you mean txCount?'],
])('%s %s by %s is refused: %s', async (metric, bucket, interval, message) => {
  await expect(explain(nothing, models, { chain: '7001', metric, bucket, interval })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});

/** A warehouse whose verdict and own number are these, whatever it is asked. */
const judged = (variant: string, covered: boolean) => ({
  query: async <R>(sql: string) =>
    (sql.includes('FROM firn.coverage') ? [] : [{ chain_id: '7001', variant, covered, query: 'SELECT 1' }]) as R[],
});
const asked = { chain: '7001', metric: 'txCount', bucket: '2026-02-10' };

test.each<[string, string, boolean, boolean]>([
  ['another reading', 'with_atomic', true, true],
  ['another reading of differences', 'with_atomic', false, false],
  ['0 for no value', 'no_value_as_zero', true, false],
])('%s has SQL that gives the same number, where there is any', async (_, variant, covered, isGiven) => {
  const { ownSql, variantSql } = await explain(judged(variant, covered), models, asked);
  const reading = `SET VARIABLE firn_variant = 'with_atomic';\n${ownSql};\nRESET VARIABLE firn_variant`;
  expect(variantSql).toBe(isGiven ? reading : null);
});

test('SQL is written as clients of the reader take it', async () => {
  const toPaste: ToPaste = (sql, reading) => `${reading?.name} ${reading?.variant}: ${sql}`;
  const { bothSql, ownSql, topSql, variantSql } = await explain(
    { ...judged('with_atomic', true), toPaste },
    models,
    asked,
  );
  expect(bothSql).toBe('undefined undefined: SELECT 1');
  for (const sql of [ownSql, topSql]) expect(sql).toMatch(/^undefined undefined: SELECT/);
  expect(variantSql).toMatch(/^mart.metric_txCount with_atomic: .*SELECT/);
});

test('the verdict is that of what was served in the bucket, and a bucket with blocks is not known to be empty', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  await connection.run(`CREATE SCHEMA mart; CREATE SCHEMA firn;
    CREATE TABLE mart.reconciliation AS
      SELECT '7001' AS chain_id, 'txCount' AS metric, 'day' AS time_interval, bucket::TIMESTAMP AS bucket, served_text, 'SELECT 1' AS "query"
      FROM (VALUES ('2026-02-10', NULL), ('2026-02-10 02:00:00', '1'), ('2026-02-12', NULL), ('2026-02-13', '2')) AS v(bucket, served_text);
    CREATE TABLE firn.coverage AS SELECT '7001' AS chain_id, 'day' AS time_interval, bucket::TIMESTAMP AS bucket, true AS blocks_covered
      FROM (VALUES ('2026-02-10'), ('2026-02-12'), ('2026-02-13')) AS v(bucket)`);
  const stored = queryOf(connection);
  const query = async <R extends object = Record<string, unknown>>(sql: string): Promise<R[]> =>
    / FROM (mart\.reconciliation|firn\.coverage) WHERE/.test(sql.replace(/\s+/g, ' ')) ? stored(sql) : nothing.query();
  const found = ['2026-02-10', '2026-02-11', '2026-02-12'].map(async (bucket) => {
    const { verdict, knownEmpty } = await explain({ query }, models, { ...asked, bucket });
    return [verdict?.['bucket'], knownEmpty];
  });
  expect(await Promise.all(found)).toEqual([
    ['2026-02-10 02:00:00', false],
    [undefined, true],
    ['2026-02-12 00:00:00', false],
  ]);
});

test('what was served comes in the order in which it was, also where the clock was set back', {
  tags: 'long',
}, async () => {
  const own = await temporaryWarehouse();
  onTestFinished(() => own.dispose());
  const series = { chain: '7001', metric: 'txCount', interval: 'day' };
  const timestamp = Date.UTC(2026, 1, 10) / 1000;
  for (const [value, fetchedAt] of [
    [1, '2026-03-02'],
    [2, '2026-03-01'],
  ] as const)
    await loadPoints(
      own.warehouse,
      series,
      [{ timestamp: String(timestamp), value: String(value) }],
      Date.parse(fetchedAt),
    );
  await buildModels(own.warehouse);
  await own.warehouse.run("INSERT INTO firn.chain VALUES ('7001', 'L1', 'b', 'b', 'evm', NULL, now()::TIMESTAMP)");
  const { served } = await explain(own.warehouse, models, { chain: '7001', metric: 'txCount', bucket: '2026-02-10' });
  expect(served.map((row) => row['value_text'])).toEqual(['1', '2']);
});
