-- What was served of a chain ($1), and when it was first seen.
WITH revision AS (
  SELECT chain_id, metric, time_interval, "timestamp", value_text, max(fetched_at) AS fetched_at
  FROM raw.metrics_chain_metrics_revisions WHERE chain_id = $1
  GROUP BY chain_id, metric, time_interval, "timestamp", value_text
)
SELECT s.metric, s.time_interval, CAST(s."timestamp" AS VARCHAR) AS bucket, s.value_text,
  CAST(r.fetched_at AS VARCHAR) AS fetched_at
FROM raw.metrics_chain_metrics AS s
LEFT JOIN revision AS r ON r.metric = s.metric AND r.time_interval = s.time_interval
  AND r."timestamp" = s."timestamp" AND r.value_text IS NOT DISTINCT FROM s.value_text
WHERE s.chain_id = $1 ORDER BY s."timestamp"
