import { type Interval, secondsOf } from '../bucketTime.ts';
import type { ScopedQuery } from '../scope.ts';
import type { VariantReading } from '../verdict/series.ts';
import { ownValue } from './readSeries.ts';

interface Asked {
  readonly chain: string;
  readonly metric: string;
  readonly interval: Interval;
  readonly variant: string;
}

interface ReadingRow extends Record<string, unknown> {
  readonly bucket: string;
  readonly numerator: string | null;
  readonly denominator: string | null;
  readonly covered: boolean;
}

/** Computes a metric by one of its named readings: the same model with another parameter. */
export async function fetchReading(
  source: ScopedQuery,
  { chain, metric, interval, variant }: Asked,
): Promise<VariantReading> {
  const rows = await source.queryIn<ReadingRow>(
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
