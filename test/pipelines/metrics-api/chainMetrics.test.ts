import { expect, test } from 'vitest';
import { chainMetrics } from '../../../pipelines/metrics-api/chainMetrics.ts';

import { type PagedStream, tablesOf } from '../../../src/core/stream/stream.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { readContext } from '../../run/read/readContext.ts';

const day = 86_400;
const seconds = (date: string) => Date.parse(date) / 1000;

test('a bucket dated into the future keeps none before it from being read', async () => {
  const stream = chainMetrics as unknown as PagedStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const values = { chain_id: '43112', metric: 'txCount', time_interval: 'day' };
  const partition = { values, settings: { from: seconds('2026-01-01') } };
  const days = async (today: string) => {
    const fetch: Fetch = async (request) => {
      const { startTimestamp } = (request.kind === 'get' && request.query) || {};
      const past = Array.from({ length: 31 }, (_, i) => seconds('2026-01-01') + i * day);
      const served = [...past.filter((at) => at <= seconds(today)), seconds('2099-01-01')];
      const results = served.filter((at) => at >= Number(startTimestamp)).map((timestamp) => ({ timestamp, value: 1 }));
      return { body: { results }, bytes: 1, fetchedAt: Date.parse(today) };
    };
    await readPaged(stream, readContext(warehouse, stream, partition, fetch, { now: () => Date.parse(today) }));
    const [row] = await warehouse.query<{ days: bigint }>(
      'SELECT count(*) AS "days" FROM raw.metrics_chain_metrics WHERE year("timestamp") = 2026',
    );
    return Number(row?.days);
  };
  expect([await days('2026-01-10'), await days('2026-01-20')]).toEqual([10, 20]);
});

test('an old answer that a proxy kept, right behind a new one, does not leave buckets as they were while they were open', async () => {
  const stream = chainMetrics as unknown as PagedStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const values = { chain_id: '43112', metric: 'txCount', time_interval: 'day' };
  const partition = { values, settings: { from: seconds('2026-01-01') } };
  const served = (today: string, value: number, nextPageToken?: string) => {
    const days = (seconds(today) - seconds('2026-01-01')) / day + 1;
    const results = Array.from({ length: days }, (_, i) => ({ timestamp: seconds('2026-01-01') + i * day, value }));
    return { results, nextPageToken };
  };
  const runs = [
    ['2026-01-05', [served('2026-01-05', 1)]],
    ['2026-01-20', [served('2026-01-20', 2, 'more'), served('2026-01-05', 1)]],
    ['2026-01-21', [served('2026-01-21', 2)]],
  ] as const;
  for (const [today, answers] of runs) {
    const left = [...answers];
    const fetch: Fetch = async () => ({ body: left.shift(), bytes: 1, fetchedAt: Date.parse(today) });
    await readPaged(stream, readContext(warehouse, stream, partition, fetch, { now: () => Date.parse(today) }));
    expect(left).toEqual([]);
  }
  const old = `SELECT count(*) AS "count" FROM raw.metrics_chain_metrics WHERE value_text <> '2'`;
  expect(await warehouse.query(old)).toEqual([{ count: 0n }]);
});

type Served = ReturnType<typeof served>;
type List = readonly (readonly Served[])[];

/** Reads these lists of one or more pages, one after the other, each on its day. */
async function warehouseAfter(lists: readonly List[], days: readonly string[] = []) {
  const stream = chainMetrics as unknown as PagedStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const values = { chain_id: '43112', metric: 'txCount', time_interval: 'day' };
  const partition = { values, settings: { from: seconds('2026-01-01') } };
  for (const [i, pages] of lists.entries()) {
    const now = Date.parse(days[i] ?? '2026-01-05');
    let read = 0;
    const fetch: Fetch = async () => {
      const results = pages[read++];
      return { body: { results, ...(read < pages.length && { nextPageToken: 't' }) }, bytes: 1, fetchedAt: now };
    };
    await readPaged(stream, readContext(warehouse, stream, partition, fetch, { now: () => now }));
  }
  return warehouse;
}

/** Which buckets are withdrawn then, by loads that brought something: what is built and judged goes by these. */
async function withdrawnAfter(lists: readonly List[]) {
  const warehouse = await warehouseAfter(lists);
  return warehouse.query(
    'SELECT "timestamp" FROM raw.metrics_chain_metrics JOIN firn.load ON load_id = _load_id WHERE withdrawn AND rows_written > 0',
  );
}

const served = (date: string, value: unknown = 1) => ({ timestamp: seconds(date), value });
const [first, second, third, fourth] = [1, 2, 3, 4].map((day) => `2026-01-0${day}`) as [string, string, string, string];

test.each([
  ['', []],
  [', also below one dated ahead', ['2099-01-01']],
])(
  'a bucket that is left out where an answer begins is withdrawn; where it ends, the answer may be behind%s',
  async (_, ahead) => {
    const answers = [
      [first, second, third, fourth, ...ahead],
      [second, third, ...ahead],
    ].map((dates) => [dates.map((date) => served(date))]);
    expect(await withdrawnAfter(answers)).toEqual([{ timestamp: `${first} 00:00:00` }]);
  },
);

test.each([
  ['that cannot be read', [[served(first), served(second, {}), served(third)]]],
  ['between two pages of a list', [[served(first)], [served(third)]]],
])('a bucket %s is not withdrawn', async (_, pages) => {
  const days = [first, second, third].map((date) => served(date));
  expect(await withdrawnAfter([[days], pages])).toEqual([]);
});

test('a load that only keeps values that are served still counts as one that brought something', async () => {
  const [one, three, four] = [first, third, fourth].map((date) => served(date)) as [Served, Served, Served];
  const lists = [[[one]], [[three], [four]], [[one, three, four]]];
  const warehouse = await warehouseAfter(lists, [first, fourth, '2026-01-06']);
  const kept = await warehouse.query(
    `SELECT load_id::INTEGER AS load, rows_written::INTEGER AS "rows" FROM raw.metrics_chain_metrics_revisions JOIN firn.load ON load_id = _load_id
     WHERE "timestamp" = '${first}' ORDER BY 1`,
  );
  expect(kept).toEqual([
    { load: 1, rows: 1 },
    { load: 3, rows: 1 },
  ]);
});
