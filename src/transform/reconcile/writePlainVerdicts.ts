import { groupBy } from '../../core/groupBy.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { querySql } from '../../load/packageFiles.ts';
import { timestampOf } from '../bucketTime.ts';
import type { VerdictName } from '../verdict/series.ts';
import { type AskedSeries, boundsOf, isAggregate, type MatrixRow, seriesName } from './servedSeries.ts';
import { queriesOf } from './writeVerdicts.ts';

/**
 * Writes the verdicts of series that need no closer look to `mart.reconciliation`, which has none of them yet. The way through JavaScript takes
 * 25 µs a bucket, this one 6: four years of hours of four metrics are 140,000.
 *
 * @param asked series that are compared together
 * @returns how many, by series
 */
export async function writePlainVerdicts(
  tx: Statements,
  asked: readonly AskedSeries[],
  isLevel: (metric: string) => boolean,
): Promise<MatrixRow[]> {
  const { chains, metrics } = boundsOf(asked);
  const rows = asked.map((series) => {
    const { chain, newest, metric, interval, begins } = series;
    const moments = [newest, begins].map((moment) => `TIMESTAMP '${timestampOf(moment)}'`).join(', ');
    const query = queriesOf({ ...series, totalOf: null }).both('{bucket}');
    return `(${literal(chain)}, ${literal(metric)}, ${literal(interval)}, ${isLevel(metric)}, ${isAggregate(chain)}, ${moments}, ${literal(query)})`;
  });
  const sql = querySql('plain_verdicts', {
    served: querySql('served_values', { chains }),
    asked: rows.join(', '),
    chains,
  });
  await tx.run(`INSERT INTO mart.reconciliation BY NAME ${sql}`, metrics);
  const counts = await tx.query<Omit<MatrixRow, 'verdicts'> & { verdict: VerdictName; buckets: bigint }>(
    `SELECT chain_id AS "chain", metric, time_interval AS "interval", verdict, count(*) AS buckets FROM mart.reconciliation
     WHERE chain_id IN (${chains}) AND metric BETWEEN $1 AND $2 GROUP BY ALL`,
    metrics,
  );
  const found = groupBy(counts, seriesName);
  return asked.flatMap((series) => {
    const own = found.get(seriesName(series));
    if (!own) return [];
    const { chain, metric, interval } = series;
    const verdicts = Object.fromEntries(own.map(({ verdict, buckets }) => [verdict, Number(buckets)]));
    return [{ chain, metric, interval, verdicts }];
  });
}
