-- The daily difference of cumulativeTxCount beside txCount, as served.
-- Counts are far below 2^53: as DECIMAL they are exact also where they came as 7.17e2. NaN and 1e300 are numbers to a double, but no counts.
WITH served AS (
  SELECT chain_id, metric, "timestamp" AS bucket, TRY_CAST(TRY_CAST(value_text AS DOUBLE) AS DECIMAL(18,0)) AS "value"
  FROM raw.metrics_chain_metrics
  WHERE withdrawn IS NULL AND time_interval = 'day' AND metric IN ('txCount', 'cumulativeTxCount')
    AND TRY_CAST(TRY_CAST(value_text AS DOUBLE) AS DECIMAL(18,0)) IS NOT NULL
)
SELECT today.chain_id, today.bucket, CAST(today."value" - yesterday."value" AS VARCHAR) AS served_difference,
  CAST(daily."value" AS VARCHAR) AS served_tx_count, today."value" - yesterday."value" = daily."value" AS agrees
FROM served AS today
JOIN served AS yesterday ON yesterday.chain_id = today.chain_id AND yesterday.metric = today.metric
  AND yesterday.bucket = today.bucket - INTERVAL '1' DAY
JOIN served AS daily ON daily.chain_id = today.chain_id AND daily.metric = 'txCount' AND daily.bucket = today.bucket
WHERE today.metric = 'cumulativeTxCount'
