import { type Column, ownColumn } from '../../core/columns/table.ts';
import { Rows } from '../../core/rows/rows.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Transaction } from '../../load/database/transaction.ts';
import { secondsOf, timestampOf } from '../bucketTime.ts';
import { minus, nearestDouble, ratioText } from '../verdict/ratio.ts';
import type { Verdict } from '../verdict/series.ts';
import { emptyBucketSql } from './emptyBucketSql.ts';
import type { DetailedPoint, DetailedSeries } from './readSeries.ts';
import type { SeriesKey } from './servedSeries.ts';

/** The columns of `mart.reconciliation`. */
const columns: readonly Column[] = [
  ownColumn('chain_id', 'varchar'),
  ownColumn('metric', 'varchar'),
  ownColumn('time_interval', 'varchar'),
  ownColumn('bucket', 'timestamp'),
  ownColumn('own_numerator', 'decimal38', true),
  ownColumn('own_denominator', 'decimal38', true),
  ownColumn('own_value', 'double', true),
  ownColumn('served_text', 'varchar', true),
  ownColumn('served_value', 'double', true),
  ownColumn('verdict', 'varchar'),
  ownColumn('variant', 'varchar', true),
  ownColumn('scale', 'decimal38', true),
  ownColumn('difference_text', 'varchar', true),
  ownColumn('served_settled', 'boolean'),
  ownColumn('own_state', 'varchar', true),
  ownColumn('first_block', 'bigint', true),
  ownColumn('last_block', 'bigint', true),
  ownColumn('fetched_at', 'timestamp', true),
  ownColumn('sql_hash', 'varchar', true),
  ownColumn('note', 'varchar', true),
  ownColumn('query', 'varchar'),
];

/** Writes the verdicts of a series to `mart.reconciliation`, inside the open transaction. */
export async function writeVerdicts(
  tx: Transaction,
  series: DetailedSeries,
  verdicts: readonly Verdict[],
): Promise<void> {
  if (verdicts.length === 0) return;
  const rows = new Rows(columns);
  const queries = queriesOf(series);
  for (const [i, point] of series.points.entries()) {
    const verdict = verdicts[i] as Verdict;
    rows.append({ ...rowOf(series, point, verdict), query: queries.of(point, verdict) });
  }
  await tx.insert([{ table: { name: 'mart.reconciliation', columns }, parts: [rows] }]);
}

function rowOf(series: DetailedSeries, point: DetailedPoint, verdict: Verdict) {
  const own = point.own?.value ?? null;
  const served = point.served?.value ?? null;
  return {
    chain_id: series.chain,
    metric: series.metric,
    time_interval: series.interval,
    bucket: point.bucket * 1_000_000,
    own_numerator: own?.num ?? null,
    own_denominator: own?.den ?? null,
    own_value: own && nearestDouble(own),
    served_text: point.served?.text ?? null,
    served_value: served && nearestDouble(served),
    verdict: verdict.verdict,
    variant: verdict.variant ?? null,
    scale: verdict.scale ?? null,
    difference_text: own && served && ratioText(minus(served, own)),
    served_settled: point.settled,
    own_state: point.state,
    first_block: point.firstBlock,
    last_block: point.lastBlock,
    fetched_at: point.fetchedAt === null ? null : microsecondsOf(point.fetchedAt),
    sql_hash: point.sqlHash,
    note: verdict.note ?? null,
  };
}

/** `2026-01-20 00:00:00.123` in microseconds since the epoch. */
function microsecondsOf(timestamp: string): number {
  const [whole = '', fraction = ''] = timestamp.split('.');
  return secondsOf(whole) * 1_000_000 + Number(fraction.padEnd(6, '0'));
}

/** SQL that shows again what was compared in a bucket: both numbers, or the day that makes the recomputed difference and both levels of the served one. */
export function queriesOf({ chain, metric, interval, totalOf }: SeriesKey & Pick<DetailedSeries, 'totalOf'>) {
  const same = (name: string) =>
    `chain_id = ${literal(chain)} AND metric = ${literal(name)} AND time_interval = ${literal(interval)}`;
  const own = (side: string, name: string) =>
    `SELECT '${side}' AS side, CAST(numerator AS VARCHAR) AS numerator, CAST(denominator AS VARCHAR) AS denominator ` +
    `FROM mart.metric WHERE ${same(name)} AND bucket = `;
  const served = (side: string) =>
    ` UNION ALL SELECT '${side}', value_text, '1' FROM raw.metrics_chain_metrics WHERE ${same(metric)} AND withdrawn IS NULL AND "timestamp" = `;
  const [ofMetric, answer, theDayBefore] = [own('own', metric), served('served'), served('served the day before')];
  const difference = totalOf === null ? undefined : own('own difference', totalOf);
  const both = (at: string) => `${ofMetric}TIMESTAMP '${at}'${answer}TIMESTAMP '${at}'`;
  const of = ({ bucket, knownEmpty }: DetailedPoint, { byDifference }: Verdict): string => {
    const at = timestampOf(bucket);
    if (byDifference && difference !== undefined)
      return `${difference}TIMESTAMP '${at}'${answer}TIMESTAMP '${at}'${theDayBefore}TIMESTAMP '${timestampOf(bucket - 86_400)}'`;
    return knownEmpty ? `${emptyBucketSql(chain, interval, bucket)}${answer}TIMESTAMP '${at}'` : both(at);
  };
  return { both, of };
}
