import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import type { Model } from '../../../src/transform/models/model.ts';
import { explain } from '../../../src/transform/reconcile/explain.ts';
import { reconcile } from '../../../src/transform/reconcile/reconcile.ts';
import { loadPoints } from '../loadServed.ts';
import { loadMadeUp, type MadeUpBlock } from '../madeUpChain.ts';
import { metricModels } from '../metricModels.ts';
import { type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

const chain = '7001';
const hour = 3600;
const from = Date.UTC(2026, 1, 1) / 1000;
const fetchedAt = Date.UTC(2026, 3, 1, 0, 0, 0, 120);

/** Blocks at every sixth hour of twelve days, one transaction each; what lies before block 9, the first of the 3rd, is unknown. */
const history: MadeUpBlock[] = Array.from({ length: 40 }, (_, i) => ({
  number: i + 9,
  time: from + (48 + 6 * i) * hour,
  // Of every day's first block as many creations as days have passed.
  transactions: [
    {
      from: i % 5,
      to: 10,
      gasUsed: 21_000,
      price: 10n ** 9n,
      creations: Array.from({ length: i % 4 === 0 ? i / 4 : 0 }, () => ({ creator: 1, fails: false })),
    },
  ],
}));

let built: TestWarehouse;
let models: Model[];
beforeAll(async () => {
  built = await temporaryWarehouse();
  models = await metricModels();
  const { warehouse } = built;
  await loadMadeUp(warehouse, chain, history);
  await buildModels(warehouse, { models });
  const serve = (metric: string, interval: 'hour' | 'day', value: (n: number) => number, late = 0) => {
    const width = interval === 'hour' ? hour : 24 * hour;
    const results = Array.from({ length: (12 * 24 * hour) / width }, (_, n) => ({
      timestamp: String(from + n * width + late),
      value: String(value(n)),
    }));
    return loadPoints(warehouse, { chain, metric, interval }, results, fetchedAt);
  };
  await serve('txCount', 'hour', (n) => (n >= 48 && n % 6 === 0 ? 1 : 0));
  await serve('txCount', 'day', (n) => (n === 6 ? 7 : 4));
  await serve('cumulativeTxCount', 'day', (n) => 1000 + 4 * n + (n >= 6 ? 1 : 0));
  await serve('gasUsed', 'day', () => 4 * 21_000, 5 * hour);
  await serve('cumulativeContracts', 'day', (n) => 1000 + (n > 3 ? ((n - 3) * (n - 2)) / 2 : 0));
  await reconcile(warehouse, { models });
}, 120_000);
afterAll(() => built.dispose());

interface VerdictRow {
  readonly verdict: string;
  readonly note: string | null;
  readonly own_numerator: string | null;
  readonly query: string;
}

async function verdictOf(metric: string, interval: string, bucket: string): Promise<VerdictRow> {
  const [row] = await built.warehouse.query<VerdictRow>(
    `SELECT verdict, note, own_numerator, query FROM mart.reconciliation
     WHERE metric = '${metric}' AND time_interval = '${interval}' AND bucket = TIMESTAMP '${bucket}'`,
  );
  return row as VerdictRow;
}

/** What a verdict's query gives, by side. */
async function sidesOf({ query }: VerdictRow): Promise<Record<string, unknown>> {
  const rows = await built.warehouse.query<{ side: string; numerator: string }>(query);
  return Object.fromEntries(rows.map(({ side, numerator }) => [side, numerator]));
}

describe('the query of a verdict gives again what was compared', () => {
  test.each([
    ['an hour with a block', '2026-02-05 06:00:00', '1'],
    ['an hour that is known to hold none', '2026-02-05 07:00:00', '0'],
  ])('%s', async (_, bucket, value) => {
    const row = await verdictOf('txCount', 'hour', bucket);
    expect(row).toMatchObject({ verdict: 'equal', own_numerator: value });
    expect(await sidesOf(row)).toEqual({ own: value, served: value });
  });

  test.each([
    ['2026-02-05', 'equal_delta', '1016', '1012', 'recomputed 4, served 4'],
    ['2026-02-07', 'differs', '1025', '1020', 'recomputed 4, served 5'],
  ])('the daily difference of %s, which is %s', async (bucket, verdict, served, before, compared) => {
    const row = await verdictOf('cumulativeTxCount', 'day', bucket);
    const note = `own history is not whole since genesis: daily differences compared, ${compared}`;
    expect(row).toMatchObject({ verdict, note, own_numerator: null });
    expect(await sidesOf(row)).toEqual({ 'own difference': '4', served, 'served the day before': before });
  });
});

test('a verdict says when its value was served, and shows both numbers where it is not by their difference', async () => {
  const times = await built.warehouse.query(
    'SELECT DISTINCT fetched_at FROM mart.reconciliation WHERE served_text IS NOT NULL',
  );
  expect(times).toEqual([{ fetched_at: '2026-04-01 00:00:00.12' }]);
  const row = await verdictOf('cumulativeTxCount', 'day', '2026-02-03');
  expect(row).toMatchObject({ verdict: 'own_incomplete', own_numerator: null });
  expect(await sidesOf(row)).toEqual({ own: null, served: '1008' });
});

test('a difference is what is served less what was recomputed', async () => {
  const [row] = await built.warehouse.query(
    `SELECT verdict, difference_text FROM mart.reconciliation
     WHERE metric = 'txCount' AND time_interval = 'day' AND bucket = TIMESTAMP '2026-02-07'`,
  );
  expect(row).toEqual({ verdict: 'differs', difference_text: '3' });
});

test('a served day that begins at another hour is compared with nothing', async () => {
  const row = await verdictOf('gasUsed', 'day', '2026-02-05 05:00:00');
  expect(row).toMatchObject({ verdict: 'differs', note: 'in UTC, no day begins then', own_numerator: null });
  expect(await sidesOf(row)).toEqual({ served: '84000' });
  const { verdict, own } = await explain(built.warehouse, models, { chain, metric: 'gasUsed', bucket: '2026-02-05' });
  expect(verdict).toMatchObject({ served_text: '84000', note: row.note });
  expect(own).toMatchObject({ numerator: '84000' });
});

test('levels up to the start of each day are told by their differences, but for the one before which a day is missing', async () => {
  const rows = await built.warehouse.query<{ day: number; verdict: string }>(
    `SELECT date_part('day', bucket)::INTEGER AS "day", concat_ws(' ', verdict, variant) AS verdict FROM mart.reconciliation
     WHERE metric = 'cumulativeContracts' AND own_state = 'settled' AND bucket >= TIMESTAMP '2026-02-04' ORDER BY bucket LIMIT 4`,
  );
  expect(rows.map(({ verdict }) => verdict)).toEqual([
    'own_incomplete',
    'variant_match exclusive',
    'variant_match exclusive',
    'variant_match exclusive',
  ]);
});

test.each([
  ['between blocks that follow each other', '2026-02-05T07:00:00Z', true],
  ['before the first block', '2026-02-01T07:00:00Z', false],
  ['after the last block', '2026-02-20T07:00:00Z', false],
  ['with a block', '2026-02-05T06:00:00Z', false],
])('an hour %s is explained', async (_, bucket, knownEmpty) => {
  const told = await explain(built.warehouse, models, { chain, metric: 'txCount', bucket, interval: 'hour' });
  expect(told).toMatchObject({ knownEmpty });
  if (knownEmpty) expect(await built.warehouse.query(told.ownSql)).toMatchObject([{ side: 'own', numerator: '0' }]);
});
