import { secondsOf } from '../bucketTime.ts';
import type { ScopedQuery } from '../scope.ts';
import type { VariantReading } from '../verdict/series.ts';
import { type OwnRow, ownValue } from './readSeries.ts';
import type { SeriesKey } from './servedSeries.ts';

/** Computes a metric by one of its named readings: the same model with another parameter. */
export async function fetchReading(
  source: ScopedQuery,
  { chain, metric, interval, variant }: SeriesKey & { readonly variant: string },
): Promise<VariantReading> {
  const rows = await source.queryIn<Pick<OwnRow, 'bucket' | 'numerator' | 'denominator' | 'covered'>>(
    { firn_variant: variant },
    `SELECT CAST(bucket AS VARCHAR) AS bucket, CAST(numerator AS VARCHAR) AS numerator,
       CAST(denominator AS VARCHAR) AS denominator, covered
     FROM mart.metric_${metric} WHERE chain_id = $1 AND time_interval = $2`,
    [chain, interval],
  );
  const byBucket = new Map(rows.map((row) => [secondsOf(row.bucket), row]));
  return (bucket) => {
    const row = byBucket.get(bucket);
    return row?.covered ? { value: ownValue(row) } : undefined;
  };
}
