import { expect, test } from 'vitest';
import { chainMetrics } from '../../../pipelines/metrics-api/chainMetrics.ts';

import type { Partition } from '../../../src/core/stream/partition.ts';
import { type Between, type PagedStream, type Pages, tablesOf } from '../../../src/core/stream/stream.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { drivePages } from '../../run/read/drivePages.ts';
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

test('a load that only keeps values that are served still, also revised ones, counts as one that brought something', async () => {
  const [one, three, four] = [first, third, fourth].map((date) => served(date)) as [Served, Served, Served];
  const lists = [[[served(first, 2)]], [[one]], [[three], [four]], [[one, three, four]]];
  const warehouse = await warehouseAfter(lists, [first, second, fourth, '2026-01-06']);
  const kept = await warehouse.query(
    `SELECT load_id::INTEGER AS load, rows_written::INTEGER AS "rows" FROM raw.metrics_chain_metrics_revisions JOIN firn.load ON load_id = _load_id
     WHERE "timestamp" = '${first}' ORDER BY 1`,
  );
  expect(kept).toEqual([
    { load: 1, rows: 1 },
    { load: 2, rows: 1 },
    { load: 4, rows: 1 },
  ]);
});

const begin = seconds('2026-01-01');
const hour = 3600;
/** The first bucket of a request, and where it ends, if it does. */
type Asked = readonly [start: number, end?: number];

/**
 * What is asked for of a service whose newest bucket this is, and what comes of it.
 *
 * @param pages of its whole list
 * @param most requests, at the last of which the read is stopped
 */
async function askedOf(
  interval: string,
  newest: number | null,
  pagesOf: (stream: PagedStream, partition: Partition) => Pages,
  { pages = 1, most = Number.POSITIVE_INFINITY } = {},
) {
  const stream = chainMetrics as unknown as PagedStream;
  const values = { chain_id: '43112', metric: 'txCount', time_interval: interval };
  const partition = { values, settings: { from: begin } };
  const asked: unknown[] = [];
  const stop = new AbortController();
  const fetch: Fetch = async (request) => {
    const { startTimestamp, endTimestamp } = (request.kind === 'get' && request.query) || {};
    // One second more than wanted: a service may not count its own start.
    const start = Number(startTimestamp) && Number(startTimestamp) + 1;
    if (asked.push([start, ...(endTimestamp === undefined ? [] : [endTimestamp])]) === most) stop.abort();
    // What lies before it is not wanted, though it comes.
    const times = newest === null ? [] : [newest, ...(start > 0 ? [start - hour] : [])];
    const results = times.map((timestamp) => ({ timestamp, value: 1 }));
    return { body: { results, ...(asked.length < pages && { nextPageToken: 'more' }) }, bytes: 1, fetchedAt: 1 };
  };
  const { page, position } = await drivePages(stream, partition, pagesOf(stream, partition), fetch, stop.signal);
  return { asked, position, rows: page.set.own.length };
}

test.each<[string, string, object | null, number, Asked]>([
  ['that was never read', 'hour', null, begin + 60 * day, [begin]],
  ['of hours', 'hour', { newest: begin + 60 * day }, begin + 60 * day, [begin + 56 * day]],
  ['of months', 'month', { newest: seconds('2026-04-01') }, seconds('2026-04-01'), [seconds('2026-02-01')]],
  ['that began lately', 'hour', { newest: begin + day }, begin + day, [begin]],
  [
    'of which a backfill read more',
    'hour',
    { newest: begin + day, since: begin - 2 * day },
    begin + day,
    [begin - 2 * day],
  ],
  ['of which a bucket was dated ahead', 'hour', { newest: begin + 300 * day }, begin + 100 * day, [begin + 96 * day]],
])(
  'a series %s is asked for from its last buckets on, which may change',
  async (_, interval, position, newest, wanted) => {
    const now = (begin + 100 * day) * 1000;
    const { asked, ...read } = await askedOf(interval, newest, (stream, partition) =>
      stream.pages(partition, { position: position as never, now }, undefined),
    );
    expect(asked).toEqual([wanted]);
    expect(read).toEqual({ position: { ...position, newest: Math.min(newest, now / 1000) }, rows: 1 });
  },
);

test('a series without any bucket yet has no place', async () => {
  const pagesOf = (stream: PagedStream, partition: Partition) =>
    stream.pages(partition, { position: null, now: begin * 1000 }, undefined);
  expect(await askedOf('month', null, pagesOf)).toEqual({ asked: [[begin]], position: null, rows: 0 });
});

test.each<[string, number, object]>([
  ['that was stopped stands behind the last slice that was read', 2, { since: begin, newest: begin + 90 * day - hour }],
  ['stands at its newest bucket', 4, { since: begin, newest: begin + 200 * day }],
])('a series longer than a page %s', async (_, most, wanted) => {
  const now = (begin + 300 * day) * 1000;
  const pagesOf = (stream: PagedStream, partition: Partition) =>
    stream.pages(partition, { position: { since: begin } as never, now }, undefined);
  const { asked, position } = await askedOf('hour', begin + 200 * day, pagesOf, { pages: 2, most });
  const slices = [[begin, begin + 90 * day], [begin + 90 * day, begin + 180 * day], [begin + 180 * day]];
  expect(asked).toEqual([[begin], ...slices].slice(0, most));
  expect(position).toEqual(wanted);
});

test.each<[string, Between, object | null, readonly Asked[], number?]>([
  [
    'between two days',
    { from: { time: begin }, to: { time: begin + 100 * day } },
    null,
    [
      [begin, begin + 90 * day],
      [begin + 90 * day, begin + 100 * day],
    ],
  ],
  [
    'that was interrupted',
    { from: { time: begin }, to: { time: begin + 100 * day } },
    { since: begin, next: begin + 90 * day },
    [[begin + 90 * day, begin + 100 * day]],
  ],
  [
    'up to the newest bucket',
    { from: { time: begin + 30 * day }, to: null },
    null,
    [[0], [begin + 30 * day, begin + 60 * day + hour]],
  ],
  [
    'of an age',
    { from: { age: 10 * day + 1 }, to: null },
    null,
    [[0], [begin + 50 * day - hour, begin + 60 * day + hour]],
  ],
  [
    'of an age, that was interrupted',
    { from: { age: 10 * day }, to: null },
    { since: begin + 40 * day, next: begin + 50 * day },
    [[0], [begin + 50 * day, begin + 60 * day + hour]],
  ],
  [
    'of an age up to a day',
    { from: { age: 10 * day }, to: { time: begin + 55 * day } },
    null,
    [[0], [begin + 50 * day, begin + 55 * day]],
  ],
  [
    'of an age, where a bucket is dated ahead',
    { from: { age: 10 * day }, to: null },
    null,
    [[0], [begin + 90 * day, begin + 100 * day + hour]],
    begin + 300 * day,
  ],
])('a backfill %s asks for no more', async (_, bounds, position, wanted, newest = begin + 60 * day) => {
  const {
    asked,
    rows,
    position: at,
  } = await askedOf('hour', newest, (stream, partition) => {
    const pages = stream.between?.(partition, bounds, { position: position as never, now: (begin + 100 * day) * 1000 });
    return pages as Pages;
  });
  expect(asked).toEqual(wanted);
  const [[first] = []] = wanted.filter(([, end]) => end !== undefined);
  expect(at).toEqual({
    since: first,
    next: wanted.at(-1)?.[1],
    ...(position && { since: (position as { since: number }).since }),
  });
  // What only shows how far the service is, is not taken.
  expect(rows).toBe(wanted.filter(([start, end = 0]) => start <= newest && newest < end).length);
});

test('where a backfill came to is the first bucket that is wanted from then on', () => {
  const stream = chainMetrics as unknown as PagedStream;
  const done = (position: object | null) =>
    stream.backfilled?.(position as never, { since: 5, next: 9 } as never, {} as never);
  expect([done(null), done({ newest: 7 }), done({ newest: 7, since: 3 })]).toEqual([
    { since: 5 },
    { newest: 7, since: 5 },
    { newest: 7, since: 3 },
  ]);
});

test('every name of a chain is one series, and a series begins with the bucket of its date', () => {
  const chain = { chainId: '43113', name: 'C-Chain', blockchainId: 'id', alias: 'C', vm: 'evm', genesisHash: null };
  const network = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [chain] };
  const given = { chainIds: ['total', 'C', '99'], metrics: ['txCount'], timeIntervals: ['month'], from: '2026-01-15' };
  const partitions = chainMetrics.partitions(given as never, network as never);
  expect(partitions.map(({ values }) => values['chain_id'])).toEqual(['total', '43113', '99']);
  expect(partitions.map(({ settings }) => settings)).toEqual(Array(3).fill({ from: begin }));
});

test.each<[object, RegExp]>([
  [{ from: '5' }, /"from" must be a date, not 5/],
  [{ metrics: ['avgTps'], timeIntervals: ['hour'] }, /avgTps is served by day only; timeIntervals asks for hour/],
])('refuses %j', (given, message) => {
  const parameters = chainMetrics.parameters.parse({ chainIds: ['1'], ...given });
  expect(() => chainMetrics.partitions(parameters as never, {} as never)).toThrow(message);
});

test("metrics of a service of one's own are asked for by name alone, and each by the intervals it is served by", () => {
  const own = chainMetrics.withMetrics?.([{ name: 'mine', intervals: ['week'] }]) as unknown as PagedStream;
  const seriesOf = (metrics: unknown) =>
    own
      .partitions(own.parameters.parse({ chainIds: ['1'], metrics }) as never, { chains: [] } as never)
      .map(({ values }) => `${values['metric']} ${values['time_interval']}`);
  expect(seriesOf(['mine', 'avgTps'])).toEqual(['mine week', 'avgTps day']);
  expect(seriesOf('all').filter((series) => /mine|avgTps/.test(series))).toEqual(['avgTps day']);
});

test('a backfill of metrics from a height is refused', () => {
  const stream = chainMetrics as unknown as PagedStream;
  const partition = { values: { time_interval: 'day' }, settings: { from: begin } };
  const pages = stream.between?.(partition as never, { from: { height: 5 }, to: null }, { position: null, now: 0 });
  expect(() => pages?.next()).toThrow('Metrics have no heights');
});
