import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import type { Model } from '../../src/transform/models/model.ts';
import { reconcile } from '../../src/transform/reconcile/reconcile.ts';
import { loadPoints } from './loadServed.ts';
import { loadMadeUp, type MadeUpBlock } from './madeUpChain.ts';
import { metricModels } from './metricModels.ts';
import { forget, type TestWarehouse, temporaryWarehouse } from './warehouse.ts';

const chain = '7001';
const day = (n: number) => Date.UTC(2026, 1, n) / 1000;
const hour = 3600;

/** Two blocks a day from 1 to 12 February, one transaction each that also creates a contract. */
const history: MadeUpBlock[] = [
  { number: 0, time: Date.UTC(2020, 11, 5) / 1000, transactions: [] },
  ...Array.from({ length: 24 }, (_, i) => ({
    number: i + 1,
    time: day(1 + Math.floor(i / 2)) + (6 + 12 * (i % 2)) * hour,
    transactions: [
      { from: i % 5, to: 10, gasUsed: 21_000, price: 10n ** 9n, creations: [{ creator: 40, fails: false }] },
    ],
  })),
];
const between = (first: number, last: number) => history.filter(({ number }) => number >= first && number <= last);

let built: TestWarehouse;
let models: Model[];
beforeAll(async () => {
  built = await temporaryWarehouse();
  models = await metricModels();
});
afterAll(() => built.dispose());
beforeEach(() => forget(built.warehouse));

const build = () => buildModels(built.warehouse, { models });

interface MetricRow {
  readonly day: bigint;
  readonly numerator: string | null;
  readonly covered: boolean;
  readonly state: string;
}

async function days(metric: string): Promise<Map<number, MetricRow>> {
  const rows = await built.warehouse.query<MetricRow>(
    `SELECT day(bucket) AS "day", CAST(numerator AS VARCHAR) AS numerator, covered, state FROM mart.metric
     WHERE metric = '${metric}' AND time_interval = 'day' ORDER BY bucket`,
  );
  return new Map(rows.map((row) => [Number(row.day), row]));
}

const uncovered = async (metric: string) =>
  [...(await days(metric))].flatMap(([n, { covered }]) => (covered ? [] : [n]));

describe('what is not held has no number', () => {
  test('a missing block uncovers its day, and every level after it', { tags: 'long' }, async () => {
    await loadMadeUp(
      built.warehouse,
      chain,
      between(0, 24).filter(({ number }) => number !== 10),
    );
    await build();
    // Block 10 was the second one of the 5th; that it is missing shows only in the parent of block 11, on the 6th.
    expect(await uncovered('txCount')).toEqual([5, 6]);
    expect(await uncovered('cumulativeTxCount')).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect((await days('txCount')).get(5)?.numerator).toBeNull();
  });

  test('a missing receipt uncovers what counts receipts and logs, and nothing else', { tags: 'long' }, async () => {
    const blocks = between(0, 24);
    await loadMadeUp(built.warehouse, chain, blocks);
    await built.warehouse.run(`DELETE FROM raw.node_evm_receipts WHERE "number" = 9`);
    await build();
    for (const metric of ['activeAddresses', 'feesPaid', 'avgGasPrice', 'maxGasPrice'])
      expect(await uncovered(metric), metric).toEqual([5]);
    for (const metric of ['txCount', 'gasUsed', 'avgGps', 'maxTps', 'contracts'])
      expect(await uncovered(metric), metric).toEqual([]);
    expect(await uncovered('cumulativeAddresses')).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('receipts that do not add up to the header uncover the gas too', { tags: 'long' }, async () => {
    await loadMadeUp(built.warehouse, chain, between(0, 24));
    await built.warehouse.run(`UPDATE raw.node_evm_receipts SET gas_used = gas_used + 1 WHERE "number" = 9`);
    await build();
    for (const metric of ['gasUsed', 'feesPaid', 'avgGps']) expect(await uncovered(metric), metric).toEqual([5]);
    expect(await uncovered('txCount')).toEqual([]);
  });

  test('a transaction without a trace is not one without creations', { tags: 'long' }, async () => {
    await loadMadeUp(built.warehouse, chain, between(0, 24));
    await built.warehouse.run(`DELETE FROM raw.node_evm_traces WHERE "number" = 9;
      UPDATE raw.node_evm_trace_status SET trace_status = 'failed' WHERE "number" = 9`);
    await build();
    for (const metric of ['contracts', 'deployers']) expect(await uncovered(metric), metric).toEqual([5]);
    for (const metric of ['cumulativeContracts', 'cumulativeDeployers'])
      expect(await uncovered(metric), metric).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    for (const metric of ['activeAddresses', 'feesPaid', 'txCount'])
      expect(await uncovered(metric), metric).toEqual([]);
    expect((await days('contracts')).get(5)?.numerator).toBeNull();
  });

  test('a hash that does not link uncovers the day of the block', { tags: 'long' }, async () => {
    await loadMadeUp(built.warehouse, chain, between(0, 24));
    await built.warehouse.run(`UPDATE raw.node_evm_blocks SET parent_hash = '0xbad' WHERE "number" = 10`);
    await build();
    expect(await uncovered('txCount')).toEqual([5]);
  });

  test('a history from block 1 lacks only what counts from the time of genesis', { tags: 'long' }, async () => {
    await loadMadeUp(built.warehouse, chain, between(1, 24));
    await build();
    expect(await uncovered('cumulativeTxCount')).toEqual([]);
    for (const metric of ['avgGps', 'maxGps', 'avgTps', 'maxTps']) expect(await uncovered(metric), metric).toEqual([1]);
  });
});

test('tells states by the newest block, and carries them on', { tags: 'long' }, async () => {
  await loadMadeUp(built.warehouse, chain, between(0, 12));
  await build();
  const before = await days('txCount');
  // The newest block is of the 6th at 18:00.
  expect([...before].map(([n, { state }]) => `${n} ${state}`)).toEqual([
    '1 settled',
    '2 settled',
    '3 closed',
    '4 closed',
    '5 closed',
    '6 open',
  ]);
  await loadMadeUp(built.warehouse, chain, between(13, 24));
  await build();
  const states = [...(await days('txCount'))].map(([n, { state }]) => `${n} ${state}`);
  expect(states.slice(2, 9)).toEqual([
    '3 settled',
    '4 settled',
    '5 settled',
    '6 settled',
    '7 settled',
    '8 settled',
    '9 closed',
  ]);
  expect(states.at(-1)).toBe('12 open');
});

describe('a history that starts late', () => {
  const late = 1000;

  beforeEach(async () => {
    const { warehouse } = built;
    // The first block held is the second one of the 4th; what lies before it is unknown.
    await loadMadeUp(warehouse, chain, between(8, 24));
    await build();
    const points = (level: (n: number) => number) =>
      Array.from({ length: 12 }, (_, i) => ({ timestamp: String(day(i + 1)), value: String(level(i + 1)) }));
    const fetched = Date.now();
    const serve = (metric: string, level: (n: number) => number) =>
      loadPoints(warehouse, { chain, metric, interval: 'day' }, points(level), fetched);
    await serve('txCount', () => 2);
    await serve('cumulativeTxCount', (n) => late + 2 * n);
    await serve('cumulativeContracts', (n) => late + 2 * n + (n >= 7 ? 1 : 0));
    await serve('cumulativeAddresses', () => 50);
  });

  test('has no level, and no first day', { tags: 'long' }, async () => {
    expect(await uncovered('txCount')).toEqual([4]);
    expect(await uncovered('cumulativeTxCount')).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('compares levels that are sums by their daily differences', { tags: 'long' }, async () => {
    const result = await reconcile(built.warehouse);
    const of = (metric: string) => result.matrix.find((row) => row.metric === metric)?.verdicts;
    // The 9th to the 12th are not settled yet.
    expect(of('txCount')).toEqual({ own_incomplete: 4, equal: 4, served_provisional: 4 });
    expect(of('cumulativeTxCount')).toEqual({ own_incomplete: 8, equal_delta: 4 });
    expect(of('cumulativeContracts')).toEqual({ own_incomplete: 8, equal_delta: 3, differs: 1 });
    expect(of('cumulativeAddresses')).toEqual({ own_incomplete: 12 });
    expect(result.differs).toBe(1);
  });
});

test.each([
  ['from genesis', 0, { equal: 7, served_provisional: 1, own_incomplete: 4 }],
  ['late', 8, { own_incomplete: 9, equal_delta: 3 }],
])(
  'a history that begins %s and is still being read: its last day is not judged',
  { tags: 'long' },
  async (_, first, levels) => {
    // The 8th has a second block, which is not read yet.
    await loadMadeUp(built.warehouse, chain, between(first, 15));
    await build();
    for (const [metric, level] of [
      ['txCount', () => 2],
      ['cumulativeTxCount', (n: number) => 2 * n],
    ] as const) {
      const points = Array.from({ length: 12 }, (_one, i) => ({
        timestamp: String(day(i + 1)),
        value: String(level(i + 1)),
      }));
      await loadPoints(built.warehouse, { chain, metric, interval: 'day' }, points, day(16) * 1000);
    }
    const { differs, matrix } = await reconcile(built.warehouse);
    expect(differs).toBe(0);
    expect(matrix.find(({ metric }) => metric === 'cumulativeTxCount')?.verdicts).toEqual(levels);
  },
);

test('names the block at which a model meets a number that does not fit its column', { tags: 'long' }, async () => {
  await loadMadeUp(built.warehouse, chain, between(0, 24));
  const tight = models.map((model) => ({
    ...model,
    sql:
      model.name === 'mart.fct_block'
        ? model.sql.replace('  b.size,', '  CAST(CASE b."number" WHEN 13 THEN 3000000000 END AS INTEGER) AS size,')
        : model.sql,
  }));
  await expect(buildModels(built.warehouse, { models: tight })).rejects.toThrow(
    /block 13 of chain 7001 does not fit its column/,
  );
  // Nothing was built, and the next build works.
  await build();
  expect(await uncovered('feesPaid')).toEqual([]);
});

const prices = ['avgGasPrice', 'feesPaid', 'maxGasPrice'];
test.each([
  ['a fee', `effective_gas_price = '1${'0'.repeat(34)}'::DECIMAL(38,0)`, ['feesPaid'], null],
  [
    'a price',
    `effective_gas_price = NULL, effective_gas_price_text = '9${'0'.repeat(40)}'`,
    prices,
    `9${'0'.repeat(40)}`,
  ],
])(
  '%s above 38 digits says so in its rows, and nothing else fails',
  { tags: 'long' },
  async (_, change, metrics, highest) => {
    await loadMadeUp(built.warehouse, chain, between(0, 24));
    await built.warehouse.run(`UPDATE raw.node_evm_receipts SET ${change} WHERE "number" = 13`);
    await build();
    const blocks = await built.warehouse.query(
      'SELECT "number", fees_paid, effective_gas_price_max_text FROM mart.fct_block WHERE amounts_overflow',
    );
    expect(blocks).toEqual([{ number: 13n, fees_paid: null, effective_gas_price_max_text: highest }]);
    const overflows = await built.warehouse.query<{ metric: string; covered: boolean; value: number | null }>(
      'SELECT metric, covered, "value" FROM mart.metric WHERE overflows ORDER BY metric',
    );
    expect(overflows).toEqual(metrics.map((metric) => ({ metric, covered: true, value: null })));
    const [day] = await built.warehouse.query(
      `SELECT count(*) FILTER (WHERE numerator IS NULL) AS without FROM mart.metric
     WHERE metric = 'feesPaid' AND time_interval = 'day' AND covered`,
    );
    expect(day).toEqual({ without: 1n });
  },
);

test('adds fees in 128 bits', { tags: 'long' }, async () => {
  // 20 coins a block: 64 bits end at 18.4.
  const dear = between(0, 24).map((block) => ({
    ...block,
    transactions: block.transactions.map((tx) => ({ ...tx, price: 10n ** 15n })),
  }));
  await loadMadeUp(built.warehouse, chain, dear);
  await build();
  expect((await days('feesPaid')).get(3)?.numerator).toBe(String(2n * 21_000n * 10n ** 15n));
});
