/** @module-tag long */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { fetchReading } from '../../../src/transform/reconcile/fetchReading.ts';
import { reconcile } from '../../../src/transform/reconcile/reconcile.ts';
import { scopedQuery } from '../../../src/transform/scope.ts';
import { nearestDouble, type Ratio } from '../../../src/transform/verdict/ratio.ts';
import { loadBlocks } from '../loadLedger.ts';
import { loadPoints } from '../loadServed.ts';
import { metricModels } from '../metricModels.ts';
import { allowedIntervals, metricNames } from '../metricSeries.ts';
import { consecutive, type RecordedBlock, recordedBlocks } from '../recordedChain.ts';
import { type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

const chainId = 43419;
const chain = String(chainId);

/** A day of the recomputation that lies beside the recording. */
interface Expected {
  readonly [metric: string]: number | string | null | readonly [string, number];
}

interface MetricRow {
  readonly metric: string;
  readonly time_interval: string;
  readonly at: bigint;
  readonly num: string | null;
  readonly den: string | null;
  readonly double: number | null;
  readonly covered: boolean;
}

type Own = { readonly value: Ratio | null; readonly double: number | null; readonly covered: boolean };

let built: TestWarehouse;
let recorded: RecordedBlock[];
let days: Record<string, Expected>;
/** `metric interval seconds` -> the model's number. */
const own = new Map<string, Own>();

beforeAll(async () => {
  recorded = await recordedBlocks();
  const beside = new URL('../../fixtures/evm-l1-251-blocks/gunzilla_251_expected_metrics.json', import.meta.url);
  days = (JSON.parse(await readFile(beside, 'utf8')) as { days: Record<string, Expected> }).days;
  built = await temporaryWarehouse();
  await loadBlocks(built.warehouse, consecutive(recorded, chainId));
  await buildModels(built.warehouse, { models: await metricModels() });
  const rows = await built.warehouse.query<MetricRow>(
    `SELECT metric, time_interval, epoch_ms(bucket) // 1000 AS at, CAST(numerator AS VARCHAR) AS num, CAST(denominator AS VARCHAR) AS den,
       "value" AS double, covered FROM mart.metric WHERE chain_id = $1`,
    [chain],
  );
  for (const { metric, time_interval, at, num, den, double, covered } of rows) {
    const value = num === null || den === null ? null : { num: BigInt(num), den: BigInt(den) };
    own.set(`${metric} ${time_interval} ${at}`, { value, double, covered });
  }
}, 120_000);

afterAll(() => built.dispose());

const averages = ['avgGps', 'avgTps'];
const dayStarts = () => Object.keys(days).map(Number);

describe('the days beside the recording', () => {
  test('are met by every metric to the digit', () => {
    for (const day of dayStarts()) {
      for (const metric of metricNames.filter((name) => !averages.includes(name))) {
        const wanted = expectedOf(metric, day);
        const found = own.get(`${metric} day ${day}`);
        const where = `${metric} ${new Date(day * 1000).toISOString()}`;
        expect(found?.covered, where).toBe(true);
        if (wanted === null || !found?.value) throw new Error(`${where} has no value`);
        if (typeof wanted === 'number' && !Number.isInteger(wanted)) {
          expect(nearestDouble(found.value), where).toBe(wanted);
        } else {
          const [num, den] = typeof wanted === 'object' ? wanted : [wanted, 1];
          expect(found.value.num * BigInt(den), where).toBe(BigInt(num) * found.value.den);
        }
        expect(found.double, where).toBe(nearestDouble(found.value));
      }
    }
  });

  test.each(averages)('%s is met in the reading that has no value on the first day', async (metric) => {
    const asked = { chain, metric, interval: 'day', variant: 'first_day_null' } as const;
    const reading = await fetchReading(scopedQuery(built.warehouse), asked);
    for (const [index, day] of dayStarts().entries()) {
      const value = reading(day)?.value;
      expect(value && nearestDouble(value), `${metric} ${day}`).toBe(days[day]?.[metric]);
      if (index === 0) continue;
      expect(value).toEqual(ratesOf(day)[metric]);
      expect(own.get(`${metric} day ${day}`)).toEqual({ value, double: days[day]?.[metric], covered: true });
    }
    // The documented reading counts the first day from genesis, which lies in the second of block 1 here.
    const [first = 0] = dayStarts();
    expect(own.get(`${metric} day ${first}`)?.value).toEqual(ratesOf(first)[metric]);
  });

  test('are met by the addresses without the zero address', async () => {
    const asked = { chain, metric: 'activeAddresses', interval: 'day', variant: 'zero_excluded' } as const;
    const reading = await fetchReading(scopedQuery(built.warehouse), asked);
    const found = dayStarts().map((day) => Number(reading(day)?.value?.num));
    expect(found).toEqual(dayStarts().map((day) => days[day]?.['activeAddressesZeroExcl']));
  });
});

describe('every interval', () => {
  test('equals a count over the recorded JSON, which meets the days beside it', () => {
    for (const day of count('day')) {
      for (const metric of allowedAll()) expect(day[metric], `${metric} ${day.start}`).toBe(days[day.start]?.[metric]);
    }
    for (const interval of ['hour', 'day', 'week', 'month'] as const) {
      const buckets = count(interval);
      for (const metric of allowedAll()) {
        const found = [...own].filter(([key]) => key.startsWith(`${metric} ${interval} `));
        expect(found.length, `${metric} ${interval}`).toBe(buckets.length);
        for (const bucket of buckets) {
          const where = `${metric} ${interval} ${bucket.start}`;
          const wanted = { value: { num: BigInt(bucket[metric] ?? -1), den: 1n }, double: bucket[metric] };
          expect(own.get(where), where).toMatchObject(wanted);
        }
      }
    }
    // The first block lies in the middle of a Sunday: the day, and the week that ends with it.
    expect(count('week').map(({ start }) => new Date(start * 1000).toISOString().slice(0, 10))).toEqual([
      '2026-01-05',
      '2026-01-12',
    ]);
  });

  test('has no other row', () => {
    const rows = metricNames.flatMap((metric) => allowedIntervals(metric).map((interval) => `${metric} ${interval}`));
    expect(new Set([...own.keys()].map((key) => key.replace(/ \d+$/, '')))).toEqual(new Set(rows));
  });
});

test('served, the days agree, and the averages are named as the reading without a first day', async () => {
  // A bucket that is served four days later settles those before it.
  const later = (dayStarts().at(-1) ?? 0) + 4 * 86_400;
  for (const metric of metricNames) {
    const points = dayStarts().map((day) => ({ timestamp: String(day), value: servedOf(metric, day) }));
    const all = [...points, { timestamp: String(later), value: '1' }];
    await loadPoints(built.warehouse, { chain, metric, interval: 'day' }, all.reverse(), Date.now());
  }
  const result = await reconcile(built.warehouse);
  for (const { metric, verdicts } of result.matrix) {
    const wanted = averages.includes(metric)
      ? { variant_match: 1, equal: 2, own_incomplete: 1 }
      : { equal: 3, own_incomplete: 1 };
    expect(verdicts, metric).toEqual(wanted);
  }
  expect(result).toMatchObject({ differs: 0, servedContradictions: 0 });
  const named = await built.warehouse.query(
    `SELECT metric, variant, epoch_ms(bucket) // 1000 AS day FROM mart.reconciliation WHERE verdict = 'variant_match' ORDER BY metric`,
  );
  const [first = 0] = dayStarts();
  expect(named).toEqual(averages.map((metric) => ({ metric, variant: 'first_day_null', day: BigInt(first) })));
});

/** What is written beside the recording; no contract was created in it, so that the levels of contracts are 0. */
function expectedOf(metric: string, day: number): Expected[string] {
  const own = days[day] ?? {};
  if (metric === 'avgGasPrice') return own['avgGasPriceExact'] ?? null;
  if (metric === 'cumulativeContracts') return own['contracts'] ?? null;
  if (metric === 'cumulativeDeployers') return own['deployers'] ?? null;
  return own[metric] ?? null;
}

function servedOf(metric: string, day: number): string | null {
  const value = expectedOf(metric, day);
  if (typeof value === 'object' && value !== null) return String(Number(value[0]) / value[1]);
  return value === null ? null : String(value);
}

/** Gas and transactions of a day, by the seconds from the last block before it (or its own first) to its last. */
function ratesOf(day: number): Record<string, Ratio> {
  const times = recorded.map(({ block }) => Number(block.timestamp));
  const before = times.filter((time) => time < day).at(-1) ?? times[0] ?? 0;
  const within = recorded.filter(({ block }) => startOf('day', Number(block.timestamp)) === day);
  const den = BigInt(Number(within.at(-1)?.block.timestamp) - before);
  const gas = within.reduce((sum, { block }) => sum + BigInt(block.gasUsed), 0n);
  const transactions = within.reduce((sum, { block }) => sum + block.transactions.length, 0);
  return { avgGps: { num: gas, den }, avgTps: { num: BigInt(transactions), den } };
}

const allowedAll = () => metricNames.filter((metric) => allowedIntervals(metric).length > 1);

function startOf(interval: string, time: number): number {
  const date = new Date(time * 1000);
  if (interval === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
  if (interval === 'hour') return time - (time % 3600);
  const day = time - (time % 86_400);
  return interval === 'day' ? day : day - ((date.getUTCDay() + 6) % 7) * 86_400;
}

type Counted = { readonly start: number } & Readonly<Record<string, number>>;

/** The four metrics of every interval, counted over the recorded JSON by the words of their definition. */
function count(interval: string): Counted[] {
  const buckets = new Map<number, { senders: Set<string>; addresses: Set<string>; gas: number; txs: number }>();
  for (const { block, receipts } of recorded) {
    const start = startOf(interval, Number(block.timestamp));
    const bucket = buckets.get(start) ?? { senders: new Set(), addresses: new Set(), gas: 0, txs: 0 };
    buckets.set(start, bucket);
    bucket.txs += block.transactions.length;
    for (const { from, to } of block.transactions) {
      bucket.senders.add(from);
      for (const address of [from, to]) if (address !== null) bucket.addresses.add(address);
    }
    for (const { gasUsed, logs } of receipts) {
      bucket.gas += Number(gasUsed);
      for (const { topics } of logs) {
        const [from, to] = partiesOf(topics);
        if (from === undefined || to === undefined) continue;
        bucket.senders.add(from);
        bucket.addresses.add(from).add(to);
      }
    }
  }
  return [...buckets].map(([start, { senders, addresses, gas, txs }]) => ({
    start,
    activeAddresses: addresses.size,
    activeSenders: senders.size,
    gasUsed: gas,
    txCount: txs,
  }));
}

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const multiTransfers = [
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
];

/** From and to of a transfer log. */
function partiesOf(topics: readonly string[]): readonly string[] {
  const [event = '', first, second, third] = topics.map((topic, i) => (i === 0 ? topic : `0x${topic.slice(-40)}`));
  if (event === transfer && first && second) return [first, second];
  return multiTransfers.includes(event) && second && third ? [second, third] : [];
}
