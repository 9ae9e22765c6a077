/** @module-tag long */
import { type Ledger, type ServedFault, type ServedFaultName, variantsOf } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noteBegun } from '../../../src/load/commit/begun.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { type ReconcileResult, reconcile } from '../../../src/transform/reconcile/reconcile.ts';
import { ledgerWarehouse, packedLedger } from '../ledgerWarehouse.ts';
import { loadPoints, loadServed, type ServedOptions } from '../loadServed.ts';
import { allowedIntervals, metricNames } from '../metricSeries.ts';
import type { TestWarehouse } from '../warehouse.ts';

/** The C-Chain and an L1: what is honest is compared for both, an anomaly for the first where nothing depends on there being two. */
const chains = ['43112', '99001'];
const someMetrics = ['activeAddresses', 'txCount', 'cumulativeTxCount', 'maxGps'];
const sound = new Set(['equal', 'equal_as_double', 'served_provisional']);

let built: TestWarehouse;
let ledger: Ledger;

beforeAll(async () => {
  built = await ledgerWarehouse();
  ledger = await packedLedger();
}, 120_000);

afterAll(() => built.dispose());

async function serve(options: Partial<ServedOptions> & { faults?: readonly ServedFault[] }): Promise<ReconcileResult> {
  const { warehouse } = built;
  await warehouse.run(`DELETE FROM raw.metrics_chain_metrics; DELETE FROM raw.metrics_chain_metrics_revisions;
    DELETE FROM firn.load WHERE stream = 'metrics/chain_metrics'`);
  await loadServed(warehouse, ledger, { chains: chains.slice(0, 1), ...options });
  return reconcile(warehouse);
}

const rowsOf = (result: ReconcileResult, metric: string, interval: string) =>
  result.matrix.filter((row) => row.metric === metric && row.interval === interval);

interface Row extends Record<string, unknown> {
  readonly verdict: string;
  readonly variant: string | null;
  readonly scale: string | null;
  readonly note: string | null;
  readonly bucket: string;
}

const verdictRows = (where: string) =>
  built.warehouse.query<Row>(
    `SELECT CAST(bucket AS VARCHAR) AS bucket, verdict, variant, CAST(scale AS VARCHAR) AS scale, note, difference_text
     FROM mart.reconciliation WHERE ${where} ORDER BY chain_id, bucket`,
  );

/** No series but these may have other verdicts than those of an honest service. */
function expectSoundBut(result: ReconcileResult, isTouched: (metric: string, interval: string) => boolean): void {
  for (const { chain, metric, interval, verdicts } of result.matrix) {
    if (isTouched(metric, interval)) continue;
    expect(
      Object.keys(verdicts).filter((verdict) => !sound.has(verdict)),
      `${chain} ${metric} ${interval}`,
    ).toEqual([]);
  }
}

test('goes by the metrics that it is given', async () => {
  const models = await readModels();
  const own = models.map((model) =>
    model.metric?.name === 'maxGps' ? { ...model, metric: { ...model.metric, rank: 1 } } : model,
  );
  await expect(reconcile(built.warehouse, { models: own })).rejects.toThrow('metric_txCount.sql');
});

test('finds every settled bucket of an honest service equal', async () => {
  const result = await serve({ chains });
  expect(Object.keys(result.counts).sort()).toEqual(['equal', 'equal_as_double', 'served_provisional']);
  expect(result).toMatchObject({ differs: 0, servedContradictions: 0 });
  expect(result.counts.equal).toBeGreaterThan(6000);
  // Only fees in wei are above 2^53.
  const doubles = await built.warehouse.query(
    `SELECT DISTINCT metric FROM mart.reconciliation WHERE verdict = 'equal_as_double'`,
  );
  expect(doubles).toEqual([{ metric: 'feesPaid' }]);
});

test('gives the same verdicts whatever the clock says', async () => {
  const counts = async (fetchedAt: number) => (await serve({ metrics: ['txCount'], fetchedAt })).counts;
  expect(await counts(Date.now() - 366 * 86_400_000)).toEqual(await counts(Date.now()));
});

test("has a verdict for every aggregate: there is nothing of one's own to compare with", async () => {
  const result = await serve({ chains: ['total', 'testnet'], metrics: ['txCount', 'maxGps'] });
  expect(Object.keys(result.counts)).toEqual(['no_own']);
  expect(result.differs).toBe(0);
});

test('keeps digits that a double loses', async () => {
  await serve({ faults: [{ name: 'wei_exact' }], metrics: ['feesPaid'] });
  expect(Object.keys((await reconcile(built.warehouse)).counts).sort()).toEqual(['equal', 'served_provisional']);
});

test.each<ServedFaultName>(['values_as_strings', 'null_values'])('%s changes nothing', async (name) => {
  const result = await serve({ faults: [{ name }] });
  expectSoundBut(result, () => false);
});

test('names weeks that hold less than their days, and does not fail for them', async () => {
  const result = await serve({ faults: [{ name: 'week_underfilled' }], metrics: someMetrics });
  expectSoundBut(result, (_, interval) => interval === 'week');
  expect(rowsOf(result, 'txCount', 'week')[0]?.verdicts.served_week_underfilled).toBeGreaterThan(5);
  expect(result.counts.differs).toBeUndefined();
});

test('tells an empty answer from a missing row', async () => {
  const result = await serve({ faults: [{ name: 'month_empty' }], metrics: someMetrics });
  expectSoundBut(result, (_, interval) => interval === 'month');
  // January to March are over, April is not.
  expect(rowsOf(result, 'txCount', 'month')[0]?.verdicts).toEqual({ served_empty: 3, served_provisional: 1 });
});

test('does not ask for what no answer was sought', async () => {
  const result = await serve({ chains, metrics: ['maxGps'] });
  expect(result.matrix.map(({ chain, metric, interval }) => [chain, metric, interval].join(' '))).toEqual([
    '43112 maxGps day',
    '99001 maxGps day',
  ]);
});

test('does not miss what is older than was asked for', async () => {
  const metrics = ['txCount'];
  await serve({ metrics });
  const { warehouse } = built;
  const older = `"timestamp" < TIMESTAMP '2026-03-04'`;
  await warehouse.run(`DELETE FROM raw.metrics_chain_metrics WHERE ${older};
    DELETE FROM raw.metrics_chain_metrics_revisions WHERE ${older}`);
  expect((await reconcile(warehouse)).counts.served_missing).toBeGreaterThan(100);
  for (const interval of allowedIntervals('txCount')) {
    const partition = `chain_id=43112,metric=txCount,time_interval=${interval}`;
    for (const sql of noteBegun('metrics/chain_metrics', partition, '2026-03-04')) await warehouse.run(sql);
  }
  try {
    const { counts } = await reconcile(warehouse);
    // The week that holds the first day begins before it.
    expect(counts.served_missing).toBe(1);
    expect(counts.equal).toBeGreaterThan(100);
  } finally {
    await warehouse.run('DELETE FROM firn.begun');
  }
});

test('does not judge a day before it is settled', async () => {
  const result = await serve({ faults: [{ name: 'day_provisional' }], metrics: someMetrics });
  expectSoundBut(result, () => false);
});

test('does not judge what is not served yet, also where a bucket is dated ahead', async () => {
  const head = ledger.lastMoment - 7 * 86_400_000;
  const result = await serve({ faults: [{ name: 'lagging' }], head, metrics: someMetrics });
  expectSoundBut(result, () => false);
  for (const interval of ['hour', 'day']) {
    const series = { chain: '43112', metric: 'txCount', interval };
    await loadPoints(built.warehouse, series, [{ timestamp: '4070908800', value: '0' }], Date.now());
  }
  // Nothing is held of these.
  expect((await reconcile(built.warehouse)).counts).toEqual({ ...result.counts, own_incomplete: 2 });
  const [freshness] = await built.warehouse.query<{ lag: bigint }>(
    `SELECT lag_seconds AS lag FROM mart.served_freshness WHERE metric = 'txCount' AND time_interval = 'hour' AND chain_id = '43112'`,
  );
  expect(Number(freshness?.lag)).toBeGreaterThan(48 * 3600);
});

test('names a constant offset', async () => {
  const result = await serve({ faults: [{ name: 'offset' }], metrics: ['cumulativeContracts', 'contracts'] });
  expectSoundBut(result, (metric) => metric === 'cumulativeContracts');
  expect(rowsOf(result, 'cumulativeContracts', 'day')[0]?.verdicts).toEqual({
    offset_constant: 71,
    served_provisional: 4,
  });
  expect((await verdictRows(`verdict = 'offset_constant'`))[0]?.note).toContain('155');
});

test('names rounded averages', async () => {
  const result = await serve({
    faults: [{ name: 'rounded_averages' }],
    metrics: ['avgGps', 'avgTps', 'avgGasPrice', 'maxTps'],
  });
  expectSoundBut(result, (metric) => ['avgGps', 'avgTps', 'avgGasPrice'].includes(metric));
  for (const metric of ['avgGps', 'avgTps', 'avgGasPrice']) {
    const [row] = rowsOf(result, metric, 'day');
    const odd = Object.keys(row?.verdicts ?? {}).filter((verdict) => !sound.has(verdict));
    // Every avgTps of this quiet chain rounds to 0.
    expect(odd).toEqual(metric === 'avgTps' ? ['differs'] : expect.arrayContaining(['equal_rounded']));
  }
  // Of a quiet day nothing is left but 0, which is another number.
  const nothingLeft = 'served_value = 0 AND own_value > 0 AND served_settled';
  expect(new Set((await verdictRows(nothingLeft)).map(({ verdict }) => verdict))).toEqual(new Set(['differs']));
  expect(await verdictRows(`verdict = 'differs' AND NOT (${nothingLeft})`)).toEqual([]);
});

test.each([
  [undefined, '1000000000'],
  [1e18, '1000000000000000000'],
])('names the unit that a whole series is served in (%s)', async (factor, scale) => {
  const result = await serve({
    faults: [{ name: 'scale', ...(factor !== undefined && { factor }) }],
    metrics: ['avgGasPrice', 'maxGasPrice', 'feesPaid', 'gasUsed'],
  });
  expectSoundBut(result, (metric) => ['avgGasPrice', 'maxGasPrice', 'feesPaid'].includes(metric));
  const rows = await verdictRows(
    `metric IN ('avgGasPrice', 'maxGasPrice', 'feesPaid') AND verdict <> 'served_provisional'`,
  );
  expect(new Set(rows.map((row) => `${row.verdict} ${row.scale}`))).toEqual(
    new Set([`scale_match ${scale}`, 'equal null']),
  );
});

test('finds the one bucket that lies', async () => {
  const result = await serve({ chains, faults: [{ name: 'lie' }], metrics: someMetrics });
  expectSoundBut(result, (metric, interval) => metric === 'txCount' && interval === 'day');
  expect(result.differs).toBe(2);
  // The served series contradict each other on the same days.
  expect(result.servedContradictions).toBe(2);
  expect((await verdictRows(`verdict = 'differs'`)).map(({ difference_text }) => Number(difference_text) > 0)).toEqual([
    true,
    true,
  ]);
});

test.each([
  ['hour', 1],
  ['week', 0],
  ['month', 1],
])('one %s that differs is told; a run fails for %d', async (interval, failing) => {
  await serve({ metrics: ['txCount'] });
  const { warehouse } = built;
  await warehouse.run(`UPDATE raw.metrics_chain_metrics SET value_text = CAST(CAST(value_text AS BIGINT) + 1 AS VARCHAR)
    WHERE time_interval = '${interval}' AND "timestamp" = (SELECT min("timestamp") FROM raw.metrics_chain_metrics WHERE time_interval = '${interval}')`);
  const result = await reconcile(warehouse);
  expect(result.counts.differs).toBe(1);
  expect(result.differs).toBe(failing);
});

test('finds the one bucket that is missing', async () => {
  const result = await serve({ chains, faults: [{ name: 'bucket_missing' }], metrics: someMetrics });
  expectSoundBut(result, (metric, interval) => metric === 'txCount' && interval === 'day');
  expect(result.counts.served_missing).toBe(2);
  expect(result.differs).toBe(0);
});

test('names 0 that stands for no value', async () => {
  const result = await serve({
    faults: [{ name: 'zero_values' }],
    metrics: ['maxGps', 'maxTps', 'avgGasPrice', 'maxGasPrice', 'avgGps'],
  });
  const touched = ['maxGps', 'maxTps', 'avgGasPrice', 'maxGasPrice'];
  expectSoundBut(result, (metric) => touched.includes(metric));
  const rows = await verdictRows(
    `metric IN ('${touched.join("','")}') AND verdict NOT IN ('equal', 'served_provisional')`,
  );
  expect(rows.length).toBeGreaterThan(20);
  expect(new Set(rows.map((row) => `${row.verdict} ${row.variant}`))).toEqual(
    new Set(['variant_match no_value_as_zero']),
  );
});

test('names numbers counted from receipts', async () => {
  const result = await serve({
    faults: [{ name: 'receipts_only' }],
    metrics: ['contracts', 'cumulativeContracts', 'deployers', 'cumulativeDeployers'],
  });
  const touched = ['contracts', 'cumulativeContracts', 'deployers', 'cumulativeDeployers'];
  expectSoundBut(result, (metric) => touched.includes(metric));
  const rows = await verdictRows(
    `metric IN ('${touched.join("','")}') AND verdict NOT IN ('equal', 'served_provisional')`,
  );
  expect(new Set(rows.map((row) => `${row.verdict} ${row.variant}`))).toEqual(new Set(['variant_match receipts_only']));
});

describe('other readings', () => {
  const readings = (metric: string): readonly string[] => variantsOf[metric as keyof typeof variantsOf];
  const most = Math.max(...metricNames.map((metric) => readings(metric).length));

  // One service serves the first reading of every metric, the next one the second, and so on.
  test.each(Array.from({ length: most }, (_, round) => round))('are recognised, round %i', async (round) => {
    const faults = metricNames.flatMap((metric): ServedFault[] => {
      const variant = readings(metric)[round];
      return variant === undefined ? [] : [{ name: 'variant', metric, variant } as ServedFault];
    });
    const metrics = metricNames.filter((metric) => readings(metric)[round] !== undefined);
    const result = await serve({ faults, metrics });
    expect(result.differs, JSON.stringify(result.matrix)).toBe(0);
    const rows = await built.warehouse.query<{ metric: string; verdict: string; variant: string | null }>(
      `SELECT DISTINCT metric, verdict, variant FROM mart.reconciliation
       WHERE verdict NOT IN ('equal', 'equal_as_double', 'served_provisional') ORDER BY metric`,
    );
    expect(new Set(rows.map(({ verdict }) => verdict))).toEqual(new Set(['variant_match']));
    // Readings that give the same numbers on a short history cannot be told apart; most can.
    const named = rows.filter(({ metric, variant }) => readings(metric)[round] === variant);
    expect(new Set(named.map(({ metric }) => metric)).size).toBeGreaterThanOrEqual(
      new Set(rows.map(({ metric }) => metric)).size - 1,
    );
  });

  test('recognises another reading in another unit', async () => {
    const faults: ServedFault[] = [
      { name: 'variant', metric: 'avgGasPrice' },
      { name: 'scale', metric: 'avgGasPrice' },
    ];
    const result = await serve({ faults, metrics: ['avgGasPrice'] });
    expect(result.differs).toBe(0);
    const rows = await verdictRows(`verdict = 'variant_match'`);
    expect(new Set(rows.map((row) => `${row.variant} ${row.scale}`))).toEqual(new Set(['gas_weighted 1000000000']));
  });
});
