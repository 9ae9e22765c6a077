import { literal } from '../core/sqlText.ts';
import { querySql } from '../load/packageFiles.ts';
import type { Statements } from '../load/transaction.ts';
import { timestampOf } from './bucketTime.ts';
import type { MatrixRow } from './reconcile.ts';
import { isAggregate, type ServedSeries } from './servedSeries.ts';
import type { VerdictName } from './verdict/series.ts';
import { queriesOf } from './writeVerdicts.ts';

/**
 * Writes the verdicts of series of a chain that need no closer look to `mart.reconciliation`, which has none of them yet. The way through
 * JavaScript takes 25 µs a bucket, this one 6: four years of hours of four metrics are 140,000.
 *
 * @returns how many, by series
 */
export async function writePlainVerdicts(
  tx: Statements,
  { chain, newest, asked }: ServedSeries,
  isLevel: (metric: string) => boolean,
): Promise<MatrixRow[]> {
  const range = [chain, asked[0]?.metric ?? '', asked.at(-1)?.metric ?? ''];
  const rows = asked.map(({ metric, interval, begins }) => {
    const query = queriesOf({ chain, metric, interval, totalOf: null }).both('{bucket}');
    return `(${literal(metric)}, ${literal(interval)}, ${isLevel(metric)}, TIMESTAMP '${timestampOf(begins)}', ${literal(query)})`;
  });
  const sql = querySql('plain_verdicts', {
    served: querySql('served_values'),
    asked: rows.join(', '),
    is_aggregate: String(isAggregate(chain)),
  });
  await tx.run(`INSERT INTO mart.reconciliation BY NAME ${sql}`, [...range, timestampOf(newest)]);
  const counts = await tx.query<{ metric: string; interval: string; verdict: VerdictName; buckets: bigint }>(
    `SELECT metric, time_interval AS "interval", verdict, count(*) AS buckets FROM mart.reconciliation
     WHERE chain_id = $1 AND metric BETWEEN $2 AND $3 GROUP BY ALL`,
    range,
  );
  return asked.flatMap(({ metric, interval }) => {
    const own = counts.filter((row) => row.metric === metric && row.interval === interval);
    const verdicts = Object.fromEntries(own.map(({ verdict, buckets }) => [verdict, Number(buckets)]));
    return own.length > 0 ? [{ chain, metric, interval, verdicts }] : [];
  });
}
