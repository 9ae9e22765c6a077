import { z } from 'zod';
import {
  bucketStart,
  cutSlices,
  declaredMetrics,
  defineStream,
  FirnError,
  findChain,
  intervals,
  look,
  type NetworkFacts,
  named,
  optional,
  type Page,
  type Partition,
  parseBound,
  type Request,
  readSlices,
  type ServedMetric,
  text,
  unixSeconds,
  type Window,
} from '../../src/index.ts';
import { metrics, metricWeight } from './source.ts';

const aggregates = ['total', 'mainnet', 'testnet'];

/** Seconds of one bucket; a month at its shortest, so that a slice never exceeds one page. */
const bucketSeconds = { hour: 3600, day: 86400, week: 604800, month: 28 * 86400 };
const pageSize = 2160;

/** Buckets younger than this are provisional: each run reads them again. Also at least the last two buckets. */
const provisionalSeconds = 4 * 86400;

/** Only a user's own service may serve the metrics of an extension: they are asked for by name, and `all` does not include them. */
const parametersWith = (own: readonly ServedMetric[]) =>
  z.strictObject({
    chainIds: z.array(z.string()).min(1).describe('EVM chain ids, or total, mainnet, testnet.'),
    metrics: z
      // The files that declare metrics are read only when somebody asks for them.
      .union([z.literal('all'), z.lazy(() => z.array(z.enum(namesOf([...declaredMetrics(), ...own]))).min(1))])
      .default('all')
      .describe('Names of metrics, or all.'),
    timeIntervals: z
      .union([z.literal('all'), z.array(z.enum(intervals)).min(1)])
      .default('all')
      .describe('hour, day, week, month, or all that a metric allows.'),
    from: z.string().default('2020-09-10').describe('First bucket: a date.'),
  });

const namesOf = (of: readonly ServedMetric[]) => of.map(({ name }) => name);

const partitionsWith =
  (own: readonly ServedMetric[]) =>
  (parameters: z.output<ReturnType<typeof parametersWith>>, network: NetworkFacts) => {
    const bound = parseBound(parameters.from);
    if (!('time' in bound))
      throw new FirnError('config', `metrics/chain_metrics: "from" must be a date, not ${parameters.from}.`);
    const names = parameters.metrics === 'all' ? namesOf(declaredMetrics()) : parameters.metrics;
    return parameters.chainIds.flatMap((name) =>
      names.flatMap((metric) =>
        allowed([...declaredMetrics(), ...own], metric, parameters.timeIntervals).map((interval) => ({
          values: {
            chain_id: aggregates.includes(name) ? name : (findChain(network, name)?.chainId ?? name),
            metric,
            time_interval: interval,
          },
          settings: { from: bucketStart(interval, bound.time) },
        })),
      ),
    );
  };

/** The newest bucket read, and the first one wanted where a backfill asked for earlier ones than the configuration. */
type MetricPosition = { readonly newest?: number; readonly since?: number };

/** How far a backfill has come: from which bucket on, and everything below `next`. */
type BesidePosition = { readonly since?: number; readonly next: number };

const served = defineStream(metrics, {
  name: 'chain_metrics',
  description: 'Metric data points as served; the current value of each bucket.',
  endpoint: 'GET /v2/chains/{chainId}/metrics/{metric}',
  parameters: parametersWith([]),
  partitionColumns: [
    { name: 'chain_id', description: 'EVM chain id, or the aggregate.' },
    { name: 'metric', description: "The API's name of the metric." },
    { name: 'time_interval', description: 'hour, day, week or month.' },
  ],
  partitions: partitionsWith([]),
  schema: z.object({
    timestamp: unixSeconds('Start of the bucket.'),
    // null, absent and 0 are three different answers.
    value: optional(named('value_text', text('The served value, digit by digit as it stood in the answer.'))),
  }),
  key: ['chain_id', 'metric', 'time_interval', 'timestamp'],
  range: 'timestamp',
  files: { chain: 'chain_id', time: 'timestamp' },
  keepRevisionsOf: ['value_text'],
  way: 'slice',
  *pages(partition, window: Window<MetricPosition>) {
    const interval = partition.values['time_interval'] as keyof typeof bucketSeconds;
    const width = bucketSeconds[interval];
    const { newest: before, since } = window.position ?? {};
    const floor = Math.min(partition.settings.from, since ?? Number.POSITIVE_INFINITY);
    const done = before === undefined ? null : notAhead(before, window);
    const overlap = Math.max(provisionalSeconds, 2 * width);
    const from = done === null ? floor : Math.max(floor, bucketStart(interval, done - overlap));
    const request = (start: number, end: number | null, token: string | undefined) =>
      bucketsFrom(partition, start, end, token);
    // One open request shows the newest bucket; only a history that does not fit its page is read slice by slice.
    const { page, more } = yield* look((token) => request(from, null, token));
    const newest = newestOf(page, window, done);
    page.within('timestamp', from);
    if (newest === null) return;
    if (!more) {
      page.holdsFrom('timestamp', from);
      yield { kind: 'advance', position: { ...window.position, newest } };
      return;
    }
    const last = Math.max(from, newest);
    yield* readSlices(
      // The last slice is open: pages may come out of order, and the first need not hold the newest bucket. It counts only as far as it goes
      // itself: a proxy may have kept it since buckets were open that would not be asked for again.
      cutSlices(from, last + width, pageSize * width, true),
      'timestamp',
      (slice, token) => request(slice.from, slice.to, token),
      (slice, seen = slice.from) => ({
        ...window.position,
        newest: Math.min(slice.to === null ? Math.max(seen, done ?? 0) : slice.to - width, last),
      }),
    );
  },
  byTime: true,
  *between(partition, { from, to }, window: Window<BesidePosition>) {
    const interval = partition.values['time_interval'] as keyof typeof bucketSeconds;
    const width = bucketSeconds[interval];
    if ('height' in from) throw new FirnError('usage', 'Metrics have no heights: write a date or an age.');
    let newest = 0;
    if (to === null || 'age' in from) {
      const { page } = yield* look((token) => bucketsFrom(partition, 0, null, token));
      newest = newestOf(page, window) ?? 0;
      page.drop();
    }
    const begin =
      window.position?.since ?? bucketStart(interval, 'time' in from ? from.time : Math.max(0, newest - from.age));
    const end = to && 'time' in to ? to.time : newest + width;
    yield* readSlices(
      cutSlices(window.position?.next ?? begin, end, pageSize * width),
      'timestamp',
      (slice, token) => bucketsFrom(partition, slice.from, slice.to, token),
      (slice) => ({ since: begin, next: slice.to ?? end }),
    );
  },
  // A bucket that comes before a `from` that is ahead of the service is read, too: a backfill has come only to those there were.
  backfilled: (position, { since = 0 }) => ({ ...position, since: Math.min(since, position?.since ?? since) }),
  records: 'results',
});

/** Chain metrics as served, digit by digit, with every revision of a value. */
export const chainMetrics: typeof served = {
  ...served,
  withMetrics: (own) => ({ ...served, parameters: parametersWith(own), partitions: partitionsWith(own) }),
};

/**
 * A page of the buckets that begin in [start, end). Whether the service includes the ends varies from day to day: the caller leaves out what
 * lies outside.
 */
function bucketsFrom({ values }: Partition, start: number, end: number | null, token: string | undefined): Request {
  return {
    kind: 'get',
    path: `/v2/chains/${values['chain_id']}/metrics/${values['metric']}`,
    query: {
      timeInterval: values['time_interval'],
      // One second more than wanted, since a range may leave out its own start.
      startTimestamp: Math.max(0, start - 1),
      ...(end !== null && { endTimestamp: end }),
      pageSize,
      pageToken: token,
    },
    weight: metricWeight,
  };
}

/** Start of the newest bucket of a page, or what was known before. */
function newestOf(page: Page, window: Window, before: number | null = null): number | null {
  const newest = page.newest('timestamp');
  return newest === undefined ? before : Math.max(before ?? 0, notAhead(newest, window));
}

/** A bucket that is dated into the future says nothing of how far the service is: buckets before it would never be read. */
const notAhead = (bucket: number, { now }: Pick<Window, 'now'>) => Math.min(bucket, Math.floor(now / 1000));

function allowed(
  known: readonly ServedMetric[],
  metric: string,
  wanted: 'all' | readonly (typeof intervals)[number][],
): readonly (typeof intervals)[number][] {
  const possible = known.find(({ name }) => name === metric)?.intervals ?? [];
  const fitting = intervals.filter(
    (interval) => possible.includes(interval) && (wanted === 'all' || wanted.includes(interval)),
  );
  if (fitting.length > 0) return fitting;
  throw new FirnError(
    'config',
    `${metric} is served by ${possible.join(', ')} only; timeIntervals asks for ${[wanted].flat().join(', ')}. Add ${possible[0]}, or leave the metric out.`,
  );
}
