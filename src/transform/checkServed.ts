import type { Statements } from '../load/transaction.ts';

/**
 * Checks the served series against themselves: the daily difference of cumulativeTxCount must be txCount. Also notes how far each series
 * is behind its chain, and how long its values kept changing. Runs inside the open transaction.
 *
 * @returns days on which they contradict each other
 */
export async function checkServed(warehouse: Statements): Promise<number> {
  // Counts are far below 2^53: as DECIMAL they are exact also where they came as 7.17e2. NaN and 1e300 are numbers to a double, but no counts.
  await warehouse.run(`
    DELETE FROM mart.served_consistency;
    INSERT INTO mart.served_consistency
    WITH served AS (
      SELECT chain_id, metric, "timestamp" AS bucket, TRY_CAST(TRY_CAST(value_text AS DOUBLE) AS DECIMAL(18,0)) AS "value"
      FROM raw.metrics_chain_metrics
      WHERE time_interval = 'day' AND metric IN ('txCount', 'cumulativeTxCount')
        AND TRY_CAST(TRY_CAST(value_text AS DOUBLE) AS DECIMAL(18,0)) IS NOT NULL
    )
    SELECT today.chain_id, today.bucket, CAST(today."value" - yesterday."value" AS VARCHAR), CAST(daily."value" AS VARCHAR),
      today."value" - yesterday."value" = daily."value"
    FROM served AS today
    JOIN served AS yesterday ON yesterday.chain_id = today.chain_id AND yesterday.metric = today.metric
      AND yesterday.bucket = today.bucket - INTERVAL 1 DAY
    JOIN served AS daily ON daily.chain_id = today.chain_id AND daily.metric = 'txCount' AND daily.bucket = today.bucket
    WHERE today.metric = 'cumulativeTxCount'`);
  await warehouse.run(`
    DELETE FROM mart.served_freshness;
    INSERT INTO mart.served_freshness
    WITH chain AS (SELECT chain_id, max(last_block_time) AS newest_block_time FROM firn.coverage GROUP BY chain_id),
    revised AS (
      SELECT chain_id, metric, time_interval, "timestamp", max(fetched_at) AS settled_at, count(*) AS revisions
      FROM raw.metrics_chain_metrics_revisions GROUP BY chain_id, metric, time_interval, "timestamp"
    ),
    ended AS (
      SELECT *, CASE time_interval
        WHEN 'hour' THEN "timestamp" + INTERVAL 1 HOUR
        WHEN 'day' THEN "timestamp" + INTERVAL 1 DAY
        WHEN 'week' THEN "timestamp" + INTERVAL 7 DAY
        ELSE "timestamp" + INTERVAL 1 MONTH END AS bucket_end
      FROM revised
    )
    SELECT e.chain_id, e.metric, e.time_interval, max(e."timestamp"), max(c.newest_block_time),
      CAST(seconds_between(max(e."timestamp"), max(c.newest_block_time)) AS BIGINT),
      count(*) FILTER (WHERE e.revisions > 1),
      CAST(max(CASE WHEN e.revisions > 1 AND e.settled_at > e.bucket_end THEN seconds_between(e.bucket_end, e.settled_at) END) AS BIGINT)
    FROM ended AS e LEFT JOIN chain AS c ON c.chain_id = e.chain_id
    GROUP BY e.chain_id, e.metric, e.time_interval`);
  const [row] = await warehouse.query<{ wrong: bigint }>(
    `SELECT count(*) AS wrong FROM mart.served_consistency WHERE NOT agrees`,
  );
  return Number(row?.wrong ?? 0);
}
