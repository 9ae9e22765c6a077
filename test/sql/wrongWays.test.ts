import { describe, expect, test } from 'vitest';
import { placeModels } from '../../src/transform/models/placeModels.ts';
import { metricModels } from '../transform/metricModels.ts';
import { recordedForFile } from './recordedWarehouse.ts';

// Each of these was found in published code. The wrong number is computed here, to show that it is another one on this history.

const chain = '43112';
const warehouse = await recordedForFile();

/** Days on which a query over the ledger and a metric have different numbers, and all days. */
async function compare(metric: string, wrong: string): Promise<{ differing: number; days: number }> {
  const [row] = await warehouse.query<{ differing: bigint; days: bigint }>(
    `SELECT count(*) FILTER (WHERE m."value" IS DISTINCT FROM w.wrong) AS differing, count(*) AS days
     FROM mart.metric AS m JOIN (${wrong}) AS w (bucket, wrong) ON w.bucket = m.bucket
     WHERE m.chain_id = '${chain}' AND m.metric = '${metric}' AND m.time_interval = 'day'`,
  );
  return { differing: Number(row?.differing), days: Number(row?.days) };
}

const total = async (sql: string) => Number(Object.values((await warehouse.query(sql))[0] ?? {})[0]);

test('active addresses do not come from call frames', async () => {
  const { differing, days } = await compare(
    'activeAddresses',
    `SELECT date_trunc('day', block_time), count(DISTINCT address)::DOUBLE FROM (
       SELECT block_time, from_address AS address FROM staging.evm_trace WHERE chain_id = '${chain}'
       UNION ALL SELECT block_time, to_address FROM staging.evm_trace WHERE chain_id = '${chain}') GROUP BY 1`,
  );
  expect(days).toBeGreaterThan(60);
  expect(differing).toBeGreaterThan(days * 0.9);
});

test('weeks begin on Monday', async () => {
  const days = await warehouse.query(
    `SELECT DISTINCT dayname(bucket) AS "day" FROM mart.metric WHERE time_interval = 'week'`,
  );
  expect(days).toEqual([{ day: 'Monday' }]);
});

test('averages are no integers', async () => {
  const { differing, days } = await compare(
    'avgTps',
    `SELECT bucket, whole_quotient(numerator, denominator)::DOUBLE FROM mart.metric
     WHERE chain_id = '${chain}' AND metric = 'avgTps' AND first_block IS NOT NULL`,
  );
  expect(differing).toBe(days);
});

describe('a maximum a second', () => {
  test('is no sum over a second of the clock', async () => {
    const { differing } = await compare(
      'maxTps',
      `SELECT date_trunc('day', block_time), max(transactions)::DOUBLE FROM (
         SELECT block_time, sum(tx_count) AS transactions FROM mart.fct_block WHERE chain_id = '${chain}' GROUP BY 1) GROUP BY 1`,
    );
    expect(differing).toBeGreaterThan(30);
  });

  test('is never infinite', async () => {
    expect(
      await total(`SELECT count(*) FROM mart.fct_block WHERE seconds_since_previous = 0 AND tx_count > 0`),
    ).toBeGreaterThan(0);
    expect(await total(`SELECT count(*) FROM mart.metric WHERE isinf("value") OR denominator = 0`)).toBe(0);
  });
});

test('fees do not wrap at 64 bits', async () => {
  const fees = `FROM mart.metric WHERE chain_id = '${chain}' AND metric = 'feesPaid'`;
  // A history of fees above 18.4 coins: the sum over all days must be exact, whatever fits 64 bits.
  const [row] = await warehouse.query<{ own: string; exact: string }>(
    `SELECT CAST((SELECT wide_sum(numerator) ${fees}) AS VARCHAR) AS own,
       (SELECT CAST(sum(CAST(gas_used AS HUGEINT) * CAST(effective_gas_price AS HUGEINT)) AS VARCHAR) FROM raw.node_evm_receipts
        WHERE chain_id = '${chain}') AS exact`,
  );
  expect(row?.own).toBe(row?.exact);
  expect(await warehouse.query(`SELECT DISTINCT typeof(numerator) AS type FROM mart.metric`)).toEqual([
    { type: 'DECIMAL(38,0)' },
  ]);
});

test('distinct counts are not approximate', async () => {
  const approximate = await compare(
    'activeAddresses',
    `SELECT date_trunc('day', "hour"), approx_count_distinct(address)::DOUBLE FROM mart.address_hour
     WHERE chain_id = '${chain}' AND (tx_from OR tx_to OR token_from OR token_to OR multi_token_from OR multi_token_to) GROUP BY 1`,
  );
  expect(approximate.differing).toBeGreaterThan(0);
});

test('an address that comes back is not new', async () => {
  const all = await total(
    `SELECT count(DISTINCT address) FROM mart.address_hour
     WHERE chain_id = '${chain}' AND (tx_from OR tx_to OR token_from OR token_to OR multi_token_from OR multi_token_to)`,
  );
  const last = (metric: string) =>
    total(
      `SELECT numerator FROM mart.metric WHERE chain_id = '${chain}' AND metric = '${metric}' ORDER BY bucket DESC LIMIT 1`,
    );
  expect(await last('cumulativeAddresses')).toBe(all);
  const sumOfDays = await total(
    `SELECT sum(numerator) FROM mart.metric WHERE chain_id = '${chain}' AND metric = 'activeAddresses' AND time_interval = 'day'`,
  );
  expect(sumOfDays).toBeGreaterThan(all);
  // First seen within the week before only: who stays away for eight days would count again.
  const windowed = await total(
    `SELECT count(*) FROM (
       SELECT address, d, lag(d) OVER (PARTITION BY address ORDER BY d) AS before FROM (
         SELECT DISTINCT address, date_trunc('day', "hour") AS d FROM mart.address_hour
         WHERE chain_id = '${chain}' AND (tx_from OR tx_to OR token_from OR token_to OR multi_token_from OR multi_token_to)))
     WHERE before IS NULL OR d - before > INTERVAL 7 DAY`,
  );
  expect(windowed).toBeGreaterThan(all);
});

test('no metric looks at a served number', async () => {
  const models = await placeModels(warehouse, await metricModels());
  const read = new Set(models.flatMap(({ references }) => references));
  expect([...read].filter((name) => /metrics_|reconciliation|served/.test(name))).toEqual([]);
});
