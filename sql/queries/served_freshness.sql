-- How far each served series is behind its chain, and how long its values kept changing.
WITH chain AS (SELECT chain_id, max(last_block_time) AS newest_block_time FROM firn.coverage GROUP BY chain_id),
revised AS (
  SELECT chain_id, metric, time_interval, "timestamp", max(fetched_at) AS settled_at, count(*) AS revisions
  FROM (
    SELECT *, row_number() OVER of_bucket AS place, lag(value_text) OVER of_bucket AS value_before
    FROM raw.metrics_chain_metrics_revisions
    WINDOW of_bucket AS (PARTITION BY chain_id, metric, time_interval, "timestamp" ORDER BY _load_id)
  ) AS kept
  -- A value that an answer a day later agreed on is kept once more.
  WHERE place = 1 OR value_text IS DISTINCT FROM value_before
  GROUP BY chain_id, metric, time_interval, "timestamp"
),
ended AS (
  SELECT *, end_of_bucket(time_interval, "timestamp") AS bucket_end,
    -- One that is dated ahead of every answer says nothing of how far the series is.
    CASE WHEN "timestamp" <= max(settled_at) OVER () THEN "timestamp" END AS begun
  FROM revised
)
SELECT e.chain_id, e.metric, e.time_interval, max(e.begun) AS newest_bucket, max(c.newest_block_time) AS newest_block_time,
  CAST(seconds_between(max(e.begun), max(c.newest_block_time)) AS BIGINT) AS lag_seconds,
  count(*) FILTER (WHERE e.revisions > 1) AS revised_buckets,
  CAST(max(CASE WHEN e.revisions > 1 AND e.settled_at > e.bucket_end THEN seconds_between(e.bucket_end, e.settled_at) END) AS BIGINT) AS settled_after_seconds
FROM ended AS e LEFT JOIN chain AS c ON c.chain_id = e.chain_id
GROUP BY e.chain_id, e.metric, e.time_interval
