import { literal } from '../../core/text/sqlText.ts';
import { bucketEnd, type Interval, timestampOf } from '../bucketTime.ts';

/** SQL for the value of a bucket without a block, which has no row in `mart.metric`: its number of blocks, in the columns of a verdict's query. */
export function emptyBucketSql(chain: string, interval: Interval, bucket: number): string {
  const [from, until] = [bucket, bucketEnd(interval, bucket)].map((moment) => `TIMESTAMP '${timestampOf(moment)}'`);
  return (
    `SELECT 'own' AS side, CAST(count(*) AS VARCHAR) AS numerator, '1' AS denominator ` +
    `FROM mart.fct_block WHERE chain_id = ${literal(chain)} AND block_time >= ${from} AND block_time < ${until}`
  );
}
