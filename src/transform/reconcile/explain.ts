import { FirnError } from '../../core/firnError.ts';
import { isDay } from '../../core/input/isDay.ts';
import { meant } from '../../core/input/meant.ts';
import { literal } from '../../core/text/sqlText.ts';
import { type ToPaste, toPaste } from '../../core/text/toPaste.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { bucketEnd, bucketStart, type Interval, secondsOf, timestampOf } from '../bucketTime.ts';
import type { Metric } from '../models/metric.ts';
import type { Model } from '../models/model.ts';
import { contributorsSql } from './contributorsSql.ts';
import { emptyBucketSql } from './emptyBucketSql.ts';
import { isKnownEmpty } from './isKnownEmpty.ts';

type Row = Readonly<Record<string, unknown>>;

/** The number that is explained. */
export interface ExplainedNumber {
  readonly chain: string;
  readonly metric: string;
  /** Any moment in the bucket: a date, a month, an RFC 3339 time, or Unix seconds. */
  readonly bucket: string | number;
  readonly interval?: Interval;
}

/** Everything needed to trace one number back to its blocks. */
export interface Explanation {
  readonly chain: string;
  readonly metric: string;
  readonly interval: Interval;
  /** TIMESTAMP text, like all times here. */
  readonly bucket: string;
  /** The metric's definition, unit and pitfalls: the header of its model. */
  readonly definition: string;
  /** Other readings of the definition, by name. */
  readonly variants: Readonly<Record<string, string>>;
  /** The row of `mart.metric`, null where there is none. */
  readonly own: Row | null;
  /** The row of `mart.reconciliation`, null where nothing was reconciled; that of a served bucket that begins later within this one, where nothing else was served. */
  readonly verdict: Row | null;
  /** The row of `firn.coverage`, null where the bucket holds nothing. */
  readonly coverage: Row | null;
  /** Whether no block lies in the bucket and none is missing around it: it has no rows then, and its counts are 0. */
  readonly knownEmpty: boolean;
  /** Every value that was served for the bucket, oldest first; `withdrawn` where it was left out instead. */
  readonly served: readonly Row[];
  /** The rows that count most, and the query that gives them. */
  readonly top: readonly Row[];
  readonly topSql: string;
  /** Queries to paste: the recomputed number by itself, and both numbers. */
  readonly ownSql: string;
  readonly bothSql: string;
  /** The number by the reading that the served series follows; null where it follows none, or nothing was recomputed. */
  readonly variantSql: string | null;
}

/**
 * Traces a number back to its blocks: both numbers, the definition, what is covered, the rows that count most, and SQL to paste.
 *
 * @param models those that declare the metrics
 * @throws FirnError `usage` for a metric, interval or moment that does not exist, `not_found` where no metrics are published
 */
export async function explain(
  warehouse: Pick<Statements, 'query'> & { readonly toPaste?: ToPaste },
  models: readonly Model[],
  { chain, metric, bucket, interval = 'day' }: ExplainedNumber,
): Promise<Explanation> {
  const { definition, model, ...found } = metricNamed(metric, models);
  if (!found.intervals.includes(interval))
    throw new FirnError('usage', `${found.name} is computed by ${found.intervals.join(', ')} only.`);
  const from = bucketStart(interval, momentOf(bucket));
  const at = timestampOf(from);
  const until = bucketEnd(interval, from);
  const topSql = contributorsSql(found.contributors, { chain, from, until });
  const same = `chain_id = ${literal(chain)} AND time_interval = ${literal(interval)}`;
  const ofMetric = `${same} AND metric = ${literal(found.name)}`;
  const rows = (sql: string) => warehouse.query<Record<string, unknown>>(sql);
  await assertPublished(warehouse);
  await assertChain(warehouse, chain);
  const [own] = await rows(`SELECT * FROM mart.metric WHERE ${ofMetric} AND bucket = TIMESTAMP '${at}'`);
  // A service that counts by another timezone serves within the bucket what it serves of it.
  const [verdict] = await rows(
    `SELECT * FROM mart.reconciliation WHERE ${ofMetric} AND bucket >= TIMESTAMP '${at}' AND bucket < TIMESTAMP '${timestampOf(until)}'
     ORDER BY served_text IS NULL, bucket LIMIT 1`,
  );
  const [coverage] = await rows(`SELECT * FROM firn.coverage WHERE ${same} AND bucket = TIMESTAMP '${at}'`);
  // What an older version published has no column that says what is withdrawn.
  const served = await rows(
    `SELECT * FROM raw.metrics_chain_metrics_revisions WHERE ${ofMetric} AND "timestamp" = TIMESTAMP '${at}' ORDER BY _load_id`,
  );
  const [around] = await warehouse.query<{ reaches_next: boolean | null; newest: string | null }>(
    `SELECT max_by(blocks_covered, bucket) FILTER (WHERE bucket < TIMESTAMP '${at}') AS reaches_next, CAST(max(bucket) AS VARCHAR) AS newest
     FROM firn.coverage WHERE ${same}`,
  );
  const knownEmpty = !coverage && isKnownEmpty(from, around, secondsOf(around?.newest ?? at));
  const ownSql = knownEmpty
    ? emptyBucketSql(chain, interval, from)
    : `SELECT * FROM mart.metric_${found.name} WHERE ${same} AND bucket = TIMESTAMP '${at}'`;
  const paste = warehouse.toPaste ?? toPaste;
  const variant = verdict?.['variant'];
  // Where nothing but a difference could be compared, the reading is that of another metric.
  const isReading = typeof variant === 'string' && found.variants[variant] !== undefined && own?.['covered'] === true;
  return {
    chain,
    metric: found.name,
    interval,
    bucket: at,
    definition,
    variants: found.variants,
    own: own ?? null,
    verdict: verdict ?? null,
    coverage: coverage ?? null,
    knownEmpty,
    served: served.map(({ value_text, withdrawn = null, fetched_at }) => ({ value_text, withdrawn, fetched_at })),
    top: await rows(topSql),
    topSql: paste(topSql),
    ownSql: paste(ownSql),
    bothSql: paste(typeof verdict?.['query'] === 'string' ? verdict['query'] : ownSql),
    variantSql: isReading ? paste(ownSql, { ...model, variant }) : null,
  };
}

/** @throws FirnError `not_found` where metrics and verdicts are held back since the first build */
async function assertPublished(warehouse: Pick<Statements, 'query'>): Promise<void> {
  const [found] = await warehouse.query(
    // Also on a cluster, whose readers know the columns of all that is published.
    `SELECT 1 FROM information_schema.columns WHERE table_schema = 'mart' AND table_name = 'reconciliation'`,
  );
  if (!found)
    throw new FirnError('not_found', 'No metrics are published yet. "firn status" says what holds them back.');
}

/** @throws FirnError `usage` for a chain of which the warehouse holds nothing */
async function assertChain(warehouse: Pick<Statements, 'query'>, chain: string): Promise<void> {
  const known = await warehouse.query<{ chain_id: string }>(
    `SELECT chain_id FROM firn.chain WHERE vm = 'evm' UNION SELECT chain_id FROM mart.metric
     UNION SELECT chain_id FROM mart.reconciliation ORDER BY chain_id`,
  );
  const ids = known.map(({ chain_id }) => chain_id);
  if (!ids.includes(chain))
    throw new FirnError('usage', `The warehouse holds no chain "${chain}". ${meant(chain, ids)}`);
}

/** @throws FirnError `usage` for an unknown metric */
function metricNamed(name: string, models: readonly Model[]): Metric & { definition: string; model: Model } {
  const metrics = models.flatMap((model) =>
    model.metric ? [{ ...model.metric, definition: model.description, model }] : [],
  );
  const found = metrics.find((metric) => metric.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const names = metrics.map((metric) => metric.name);
  throw new FirnError('usage', `There is no metric "${name}". ${meant(name, names)}`);
}

/** Unix seconds of a date, a month, an RFC 3339 time (UTC where it names no offset), or a number of seconds, which is no date without dashes. */
function momentOf(bucket: string | number): number {
  if (typeof bucket === 'number') return bucket;
  const text = bucket.trim();
  if (/^\d{9,11}$/.test(text)) return Number(text);
  const written = /^\d{4}-\d\d$/.test(text) ? `${text}-01` : text;
  const zoned = /([zZ]|[+-]\d\d:\d\d)$|^\d{4}-\d\d-\d\d$/.test(written) ? written : `${written.replace(' ', 'T')}Z`;
  const moment = isDay(written.slice(0, 10)) ? Date.parse(zoned) / 1000 : Number.NaN;
  if (Number.isFinite(moment)) return moment;
  const dashed = text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  const day = isDay(dashed) ? dashed : '2026-02-10';
  throw new FirnError(
    'usage',
    `"${bucket}" is not a time. Write a date such as ${day}, a month such as ${day.slice(0, 7)}, a time such as ${day}T14:00:00Z, or Unix seconds.`,
  );
}
