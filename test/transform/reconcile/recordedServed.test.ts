import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { bounds } from '../../../src/core/json/bounds.ts';
import { recordsIn } from '../../../src/core/stream/records.ts';
import { checkAnswer } from '../../../src/extract/answers/checkAnswer.ts';
import { bucketEnd, bucketStart, type Interval } from '../../../src/transform/bucketTime.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { judge, type ReconcileResult, reconcile } from '../../../src/transform/reconcile/reconcile.ts';
import { writeVerdicts } from '../../../src/transform/reconcile/writeVerdicts.ts';
import { scopedQuery } from '../../../src/transform/scope.ts';
import { classifySeries } from '../../../src/transform/verdict/classifySeries.ts';
import { drivePages } from '../../run/read/drivePages.ts';
import { commitPage, network } from '../loadLedger.ts';
import { loadPoints } from '../loadServed.ts';
import { metricModels } from '../metricModels.ts';
import { chainMetrics, metricNames } from '../metricSeries.ts';
import { type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

interface Body {
  readonly results: readonly { readonly value: number; readonly timestamp: number }[];
}

/** One recorded answer, with the numbers that the one who recorded it had computed. */
interface Recorded {
  readonly chainId: number;
  readonly recorded: string;
  readonly path: string;
  readonly served: Body | { readonly result: object } | null;
  readonly own: Body | null;
}

interface Asked {
  readonly chain: string;
  readonly metric: string;
  readonly interval: Interval;
}

/** An answer of a list of points. */
interface Series extends Asked {
  readonly body: Body;
  /** Milliseconds since the epoch. */
  readonly recordedAt: number;
  readonly own: Body | undefined;
}

type Day = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Fixture {
  readonly responses: readonly Recorded[];
  readonly docs_examples: readonly { readonly results_prefix: Body['results'] }[];
  readonly narrative_observations: readonly {
    readonly day_2026_09_03: Day;
    readonly day_2026_09_04_provisional: Day;
  }[];
}

const fixtures = new URL('../../fixtures/', import.meta.url);
const fixture = async <T>(file: string) => JSON.parse(await readFile(new URL(file, fixtures), 'utf8')) as T;

const observed = await fixture<Fixture>('served-metrics/served_metrics_observed.json');
const documented = await fixture<Body>(
  'data-api-recorded/metrics_43114_activeAddresses_day_1722470400_1725062400.json',
);
const recorded = observed.responses.flatMap(seriesOf);
const [guide, averages] = observed.docs_examples.map(({ results_prefix }) => ({ results: results_prefix }));

/** Every recorded list, the oldest answer first. */
const series: readonly Series[] = [
  { chain: '43114', metric: 'activeAddresses', interval: 'day', body: documented },
  { chain: '43114', metric: 'activeAddresses', interval: 'day', body: guide as Body },
  { chain: '43114', metric: 'avgTps', interval: 'day', body: averages as Body },
].map((one): Series => ({ ...one, interval: 'day', recordedAt: Date.UTC(2024, 7, 31), own: undefined }));
const all = [...series, ...recorded, ...observed.narrative_observations.flatMap(daysOf)];

let built: TestWarehouse;
let result: ReconcileResult;

beforeAll(async () => {
  built = await temporaryWarehouse();
  await buildModels(built.warehouse, { models: await metricModels() });
  for (const one of all) await load(one);
  result = await reconcile(built.warehouse);
}, 120_000);

afterAll(() => built.dispose());

test('every recorded answer is a list of points, was no answer, or is of another endpoint', () => {
  const others = observed.responses.filter(({ path }) => !path.startsWith('/metrics/'));
  const none = observed.responses.filter(({ served }) => served === null);
  expect([observed.responses.length, recorded.length, none.length, others.length]).toEqual([52, 37, 12, 3]);
  expect(new Set(others.map(({ path }) => path.split('/')[1]))).toEqual(new Set(['teleporterMetrics']));
  // What has no list is no answer of this endpoint.
  for (const { served } of others)
    expect(() => recordsIn(chainMetrics.records, served, { values: {} })).toThrow(/holds no list "results"/);
});

test('no answer at all breaks the contract and is asked for again; it is no empty list', () => {
  const error = answered(null);
  expect(error).toBeInstanceOf(FirnError);
  expect(error).toMatchObject({ code: 'contract', retryable: true, context: { reason: 'empty' } });
  expect(answered({ results: [] })).toEqual({ body: { results: [] } });
});

test('the newest point comes first, and stands at the start of its hour, day, week or month', () => {
  for (const { metric, interval, body } of all) {
    const stamps = body.results.map(({ timestamp }) => timestamp);
    expect(stamps, metric).toEqual([...stamps].sort((a, b) => b - a));
    expect(stamps.map((stamp) => bucketStart(interval, stamp))).toEqual(stamps);
  }
  expect(new Set(recorded.map(({ interval }) => interval))).toEqual(new Set(['hour', 'day', 'week', 'month']));
});

test('every value is stored once, digit by digit, and dated by the first answer that had it', async () => {
  const first = new Map<string, [string, number]>();
  for (const { chain, metric, interval, body, recordedAt } of all) {
    for (const { value, timestamp } of body.results) {
      const key = [chain, metric, interval, timestamp].join(' ');
      // No recorded answer corrects an earlier one.
      expect(first.get(key)?.[0] ?? String(value), key).toBe(String(value));
      if (!first.has(key)) first.set(key, [String(value), recordedAt]);
    }
  }
  const stored = async (table: string, more: string) => {
    const rows = await built.warehouse.query<{ key: string; value_text: string; at: bigint }>(
      `SELECT chain_id || ' ' || metric || ' ' || time_interval || ' ' || epoch_ms("timestamp") // 1000 AS key, value_text${more} FROM ${table}`,
    );
    return new Map(rows.map((row) => [row.key, [row.value_text, Number(row.at ?? 0)]]));
  };
  const digits = new Map([...first].map(([key, [text]]) => [key, [text, 0]]));
  expect(await stored('raw.metrics_chain_metrics', '')).toEqual(digits);
  expect(await stored('raw.metrics_chain_metrics_revisions', ', epoch_ms(fetched_at) AS at')).toEqual(first);
  expect(digits.get('43114 avgTps day 1724716800')).toEqual(['1.98', 0]);
  const [counts] = await built.warehouse.query('SELECT count(*) AS "count" FROM firn.quarantine');
  expect(counts).toEqual({ count: 0n });
});

describe('reconciled where no block is held', () => {
  test('every bucket is incomplete on the own side', () => {
    expect(Object.keys(result.counts)).toEqual(['own_incomplete']);
    const points = new Set(
      all.flatMap(({ chain, metric, interval, body }) =>
        body.results.map(({ timestamp }) => [chain, metric, interval, timestamp].join()),
      ),
    );
    expect(result.counts.own_incomplete).toBe(points.size);
    expect(result).toMatchObject({ differs: 0, servedContradictions: 0 });
  });

  test('the served levels are held against the served counts', async () => {
    const rows = await built.warehouse.query('SELECT * EXCLUDE (bucket) FROM mart.served_consistency');
    expect(rows).toEqual([{ chain_id: '27827', served_difference: '717', served_tx_count: '717', agrees: true }]);
  });

  test('the newest days, which still change, do not count as contradictions', { tags: 'long' }, async () => {
    const days = (values: readonly number[]) =>
      values.map((value, i) => ({ timestamp: String(1_751_241_600 + i * 86_400), value: String(value) }));
    const [levels, counts] = [days([10, 12, 13, 14, 15, 17]), days([1, 1, 1, 1, 1, 1])];
    await loadPoints(
      built.warehouse,
      { chain: '98', metric: 'cumulativeTxCount', interval: 'day' },
      levels,
      Date.now(),
    );
    await loadPoints(built.warehouse, { chain: '98', metric: 'txCount', interval: 'day' }, counts, Date.now());
    const { servedContradictions } = await reconcile(built.warehouse);
    const odd = await built.warehouse.query('SELECT bucket FROM mart.served_consistency WHERE NOT agrees');
    expect([servedContradictions, odd.length]).toEqual([1, 2]);
    // So they do where verdicts are kept elsewhere until all are there.
    const later: (() => Promise<void>)[] = [];
    const judged = await built.warehouse.transaction(async (tx) => {
      await tx.run('DELETE FROM mart.reconciliation');
      return judge({
        ...scopedQuery(tx),
        write: async (...of) => void later.push(() => writeVerdicts(tx, ...of)),
        show: async () => {
          for (const write of later) await write();
        },
        replace: async () => {},
      });
    });
    expect(judged.servedContradictions).toBe(1);
  });

  test('an empty list has no bucket to speak of, and an aggregate nothing to compare with', async () => {
    const [day] = recorded.filter(({ metric, interval }) => metric === 'txCount' && interval === 'day');
    if (!day) throw new Error('no day was recorded');
    for (const chain of ['total', 'mainnet', 'testnet']) await load({ ...day, chain });
    await load({ ...day, chain: '4337', metric: 'gasUsed', body: { results: [] } });
    const { matrix } = await reconcile(built.warehouse);
    const of = (chain: string) => matrix.filter((row) => row.chain === chain);
    for (const chain of ['total', 'mainnet', 'testnet'])
      expect(of(chain)).toEqual([{ chain, metric: 'txCount', interval: 'day', verdicts: { no_own: 2 } }]);
    expect(of('4337').find(({ metric }) => metric === 'gasUsed')?.verdicts).toEqual({});
  });

  test('what is no count is told and stops nothing', async () => {
    const values = ['NaN', 'Infinity', '1e300', '-9e17', '', 'n/a', null, '7.17e2'];
    for (const metric of ['txCount', 'cumulativeTxCount']) {
      const points = values.map((value, i) => ({ timestamp: String(1_751_241_600 + i * 86_400), value }));
      await loadPoints(built.warehouse, { chain: '99', metric, interval: 'day' }, points, Date.now());
    }
    const { matrix } = await reconcile(built.warehouse);
    expect(matrix.find(({ chain }) => chain === '99')?.verdicts).toEqual({ own_incomplete: values.length });
  });
});

describe('against the numbers of the one who recorded them', () => {
  // The last answers, from when June was settled; all but the week that was not over.
  const last = recorded.filter(({ recordedAt }) => recordedAt > Date.UTC(2025, 6, 4));
  const verdictsOf = async (metric: string, interval: Interval) => {
    const found = last.find((one) => one.metric === metric && one.interval === interval);
    if (!found) throw new Error(`no ${metric} by ${interval} was recorded`);
    return judged(found);
  };

  test.each(['txCount', 'activeAddresses', 'activeSenders'])('%s agrees but for its weeks', async (metric) => {
    for (const interval of ['hour', 'day', 'month'] as const)
      expect(await verdictsOf(metric, interval), interval).toEqual([{ verdict: 'equal' }, { verdict: 'equal' }]);
    expect(await verdictsOf(metric, 'week')).toEqual([
      { verdict: 'served_week_underfilled' },
      { verdict: 'served_provisional' },
    ]);
  });

  test('levels agree, or are off by the same number every day', async () => {
    expect(await verdictsOf('cumulativeTxCount', 'day')).toEqual([{ verdict: 'equal' }, { verdict: 'equal' }]);
    const offset = { verdict: 'offset_constant', note: 'served - own = 155 in every bucket' };
    expect(await verdictsOf('cumulativeContracts', 'day')).toEqual([offset, offset]);
  });
});

/** The series that an answer of the metrics endpoint holds; none where there was no answer, or of another endpoint. */
function seriesOf({ chainId, recorded, path, served, own }: Recorded): Series[] {
  const url = new URL(path, 'http://metrics.test');
  const [, metric] = /^\/metrics\/(\w+)$/.exec(url.pathname) ?? [];
  if (served === null || metric === undefined || !metricNames.includes(metric)) return [];
  const interval = (url.searchParams.get('timeInterval') ?? 'hour') as Interval;
  const recordedAt = Date.parse(recorded.slice(0, '2025-07-02T09:29Z'.length));
  return [{ chain: String(chainId), metric, interval, body: served as Body, recordedAt, own: own ?? undefined }];
}

/** Two days of several chains as they were noted down, the newer one while it was filling. */
function daysOf(noted: Fixture['narrative_observations'][number]): Series[] {
  return Object.entries(noted.day_2026_09_04_provisional).flatMap(([chain, newer]) =>
    Object.entries(newer).map(([metric, value]): Series => {
      const older = noted.day_2026_09_03[chain]?.[metric] ?? Number.NaN;
      const results = [
        { value, timestamp: Date.UTC(2026, 8, 4) / 1000 },
        { value: older, timestamp: Date.UTC(2026, 8, 3) / 1000 },
      ];
      return {
        chain,
        metric,
        interval: 'day',
        body: { results },
        recordedAt: Date.UTC(2026, 8, 6, 6, 29),
        own: undefined,
      };
    }),
  );
}

function partitionOf({ chain, metric, interval }: Asked) {
  const parameters = { chainIds: [chain], metrics: [metric], timeIntervals: [interval], from: '2020-09-10' };
  const [partition] = chainMetrics.partitions(chainMetrics.parameters.parse(parameters) as never, network);
  if (!partition) throw new Error(`no partition for ${chain} ${metric} ${interval}`);
  return partition;
}

/** What becomes of a body that is answered with 200. */
function answered(body: unknown): { readonly body: unknown } | FirnError {
  const content = Buffer.from(JSON.stringify(body));
  const { numbers } = chainMetrics.source;
  const options = { numbers, bounds: bounds.page, now: 0, redact: (said: string) => said };
  return checkAnswer(() => 'GET /metrics', { status: 200, headers: {}, content, wireBytes: 0 }, options);
}

/**
 * Reads a recorded answer as a sync does: the stream asks, gets it as the whole list (it was recorded in pages of two or three, and of
 * the pages behind it nothing is known), and what it keeps is committed.
 */
async function load({ body, recordedAt, ...asked }: Series): Promise<void> {
  const partition = partitionOf(asked);
  const pages = chainMetrics.pages(partition, { position: null, now: recordedAt }, undefined);
  const { page, records, position } = await drivePages(chainMetrics, partition, pages, async () => {
    const answer = answered({ results: body.results });
    if (answer instanceof FirnError) throw answer;
    return { body: answer.body, bytes: 0, fetchedAt: recordedAt };
  });
  expect(records).toBe(body.results.length);
  const newest = Math.max(...body.results.map(({ timestamp }) => timestamp));
  expect(position).toEqual(body.results.length > 0 ? { newest } : null);
  expect(page).toMatchObject({ quarantined: [], unknown: [] });
  await commitPage(built.warehouse, chainMetrics, partition, page, records, recordedAt);
}

/** Verdicts of a recorded answer, oldest bucket first, with the numbers recorded beside it as the own ones. */
async function judged({ metric, interval, body, own, recordedAt }: Series) {
  const integer = (value: number | undefined) => ({ num: BigInt(value ?? Number.NaN), den: 1n });
  const points = [...body.results].reverse().map(({ value, timestamp }) => ({
    bucket: timestamp,
    own: {
      value: integer(own?.results.find((point) => point.timestamp === timestamp)?.value),
      covered: true,
      overflows: false,
      open: bucketEnd(interval, timestamp) * 1000 > recordedAt,
    },
    served: { text: String(value), value: integer(value) },
    settled: (bucketEnd(interval, timestamp) + 72 * 3600) * 1000 <= recordedAt,
  }));
  const growth = metric.startsWith('cumulative') ? 'distinct' : null;
  return classifySeries({ metric, interval, points, growth, isAggregate: false }, new Map());
}
