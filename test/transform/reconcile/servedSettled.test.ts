import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { parseRecords } from '../../../src/core/parse/parseRecords.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { readSeries } from '../../../src/transform/reconcile/readSeries.ts';
import { reconcile } from '../../../src/transform/reconcile/reconcile.ts';
import { servedSeries } from '../../../src/transform/reconcile/servedSeries.ts';
import { network } from '../loadLedger.ts';
import { loadPoints } from '../loadServed.ts';
import { metricModels } from '../metricModels.ts';
import { chainMetrics } from '../metricSeries.ts';
import { forget, type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** Midnight of the fifth day; the newest bucket that the first answer has. */
const fifth = Date.UTC(2026, 0, 5);
const series = { chain: '43112', metric: 'txCount' };

let built: TestWarehouse;
beforeAll(async () => {
  built = await temporaryWarehouse();
  await buildModels(built.warehouse, { models: await metricModels() });
}, 120_000);
beforeEach(() => forget(built.warehouse));
afterAll(() => built.dispose());

/** Values by day of the month. */
type Served = Readonly<Record<number, number>>;
const points = (served: Served) =>
  Object.entries(served).map(([date, value]) => ({ timestamp: Date.UTC(2026, 0, Number(date)) / 1000, value }));

async function serve(interval: string, served: Served, hours: number): Promise<void> {
  const results = parseLossless(JSON.stringify(points(served)), { numbers: 'text' }) as unknown[];
  await loadPoints(built.warehouse, { ...series, interval }, results, fifth + hours * hour);
}

/** An answer: hours after the beginning of the fifth day by the clock of whoever asks, and what it holds. */
type Answer = readonly [hours: number, served: Served];

async function settledAfter(...answers: readonly Answer[]): Promise<number[]> {
  for (const [hours, served] of answers) await serve('day', served, hours);
  const [asked] = await servedSeries(built.warehouse);
  const [read] = await readSeries(built.warehouse, asked ?? [], new Map());
  return (read?.points ?? []).flatMap(({ bucket, settled }) => (settled ? [new Date(bucket * 1000).getUTCDate()] : []));
}

const first = { 1: 10, 2: 20, 3: 30, 4: 40, 5: 1 };
/** A day of a century later. */
const ahead = 36_525;
const second = { 3: 30, 4: 40, 5: 50, 6: 1 };

// By the chain's own time the first day is settled at the fifth, the second at the sixth.
test.each<[string, readonly number[], readonly Answer[]]>([
  ['one answer settles nothing by itself', [1], [[1, first]]],
  [
    'two a day apart settle what they agree on, of days that were over',
    [1, 2, 3, 4],
    [
      [1, first],
      [26, second],
    ],
  ],
  [
    'two within a day do not',
    [1, 2],
    [
      [1.5, first],
      [25, second],
    ],
  ],
  [
    'a clock that was a year behind at first does not',
    [1],
    [
      [-366 * 24, first],
      [1, first],
    ],
  ],
  [
    'nor does one that is a year ahead now',
    [1],
    [
      [1, first],
      [366 * 24, first],
    ],
  ],
  [
    'nor one that was ahead then',
    [1, 2],
    [
      [366 * 24, first],
      [26, second],
    ],
  ],
  [
    'nor does one that jumped ahead in between keep answers from agreeing',
    [1, 2, 3, 4],
    [
      [1, first],
      [366 * 24, first],
      [26, second],
    ],
  ],
  [
    'an answer that has another value begins anew',
    [1, 2, 3],
    [
      [1, first],
      [26, { ...second, 4: 41 }],
    ],
  ],
  [
    'and settles a day later',
    [1, 2, 3, 4, 5],
    [
      [1, first],
      [26, { ...second, 4: 41 }],
      [51, { 4: 41, 5: 50, 6: 60, 7: 1 }],
    ],
  ],
  [
    'what was another value in between does not agree with what came before',
    [1, 2, 3],
    [
      [1, first],
      [2, { 4: 41 }],
      [26, second],
    ],
  ],
  [
    'what a later answer lacks it does not confirm',
    [1, 2, 3],
    [
      [1, first],
      [26, { 3: 30, 5: 50, 6: 1 }],
    ],
  ],
  [
    'what comes late was not there before',
    [1, 2, 3],
    [
      [1, { 1: 10, 2: 20, 3: 30, 5: 1 }],
      [26, second],
    ],
  ],
  [
    'what was read in between makes no difference',
    [1, 2, 3, 4],
    [
      [1, first],
      [13, first],
      [26, second],
    ],
  ],
  ['a bucket that had not begun tells no time', [1], [[1, { ...first, [ahead]: 0 }]]],
  [
    'nor does it make answers agree',
    [1],
    [
      [1, first],
      [26, { ...first, [ahead]: 0 }],
    ],
  ],
  [
    'nor does it keep them from it',
    [1, 2, 3, 4],
    [
      [1, { ...first, [ahead]: 0 }],
      [26, second],
    ],
  ],
])('%s', async (_, settled, answers) => {
  expect(await settledAfter(...answers)).toEqual(settled);
});

test('what is not served yet, or not whole, is not settled by a bucket that had not begun', async () => {
  await serve('hour', { 10: 1 }, 144);
  expect(await settledAfter([144, { 1: 10, 2: 20, 3: 3, [ahead]: 0 }])).toEqual([1, 2]);
});

test('a value is told with the time of the answer that had it first', async () => {
  await settledAfter([1, first], [26, second]);
  const [asked] = await servedSeries(built.warehouse);
  const [read] = await readSeries(built.warehouse, asked ?? [], new Map());
  const fourth = read?.points.find(({ bucket }) => bucket * 1000 === Date.UTC(2026, 0, 4));
  expect(fourth?.fetchedAt).toBe('2026-01-05 01:00:00');
});

test('what agrees is kept once a day, and counts as no revision', { tags: 'long' }, async () => {
  const hours = Array.from({ length: 30 }, (_, i): Answer => [i, i < 24 ? first : second]);
  await settledAfter(...hours);
  const kept = await built.warehouse.query(
    `SELECT day("timestamp") AS bucket, epoch_ms(fetched_at) AS at FROM raw.metrics_chain_metrics_revisions
     WHERE day("timestamp") IN (4, 5) ORDER BY _load_id, 1`,
  );
  const at = (hours: number) => BigInt(fifth + hours * hour);
  expect(kept).toEqual([
    { bucket: 4n, at: at(0) },
    { bucket: 5n, at: at(0) },
    { bucket: 4n, at: at(24) },
    { bucket: 5n, at: at(24) },
  ]);
  await reconcile(built.warehouse);
  // Only the fifth day changed.
  expect(await built.warehouse.query('SELECT revised_buckets FROM mart.served_freshness')).toEqual([
    { revised_buckets: 1n },
  ]);
});

test('a load that only agrees counts as one that brought something: verdicts follow', async () => {
  await settledAfter([1, first], [25, { 6: 1 }]);
  await settledAfter([25.5, { 3: 30, 4: 40 }]);
  const loads = await built.warehouse.query('SELECT rows_written FROM firn.load ORDER BY load_id');
  expect(loads).toEqual([{ rows_written: 5n }, { rows_written: 1n }, { rows_written: 2n }]);
});

test('a record that was in quarantine agrees with nothing: nobody knows when it was served', async () => {
  await settledAfter([1, first], [25, { 6: 1 }]);
  const partition = { values: { chain_id: '43112', metric: 'txCount', time_interval: 'day' } };
  const results = parseLossless(JSON.stringify(points({ 4: 40 })), { numbers: 'text' }) as unknown[];
  const { set, ...page } = parseRecords(chainMetrics, partition, network, results);
  const facts = { records: 1, pages: 1, bytes: 0, request: 'replay', fetchedAt: fifth + 2 * day };
  const batch = { ...page, sets: [set], replayed: [1n], ...facts };
  await commitBatch(built.warehouse, { stream: chainMetrics, partition, runId: 'test', batch, from: null, to: null });
  expect(await settledAfter()).toEqual([1, 2]);
});
