/*
description: distinct deployers (of deployers) from genesis to the end of the day.
traps: a deployer that comes back is not new.
metric:
  rank: 12
  title: Deployers so far
  unit: addresses
  intervals: [day]
  needs: traces since genesis
  variants:
    without_own_error: frames that failed themselves left out
    without_reverted_ancestor: frames that failed or lie in one that did left out
    without_failed_tx: frames of failed transactions left out
    receipts_only: 'only what receipts tell: a lower bound'
  contributors: |
    SELECT creator, by_any AS first_seen FROM mart.deployer_first_seen
    WHERE chain_id = $chain AND by_any >= $from AND by_any < $until ORDER BY by_any ASC, creator ASC LIMIT 10
*/
WITH
  first_seen AS (
    SELECT
      chain_id,
      CASE variant()
        WHEN 'without_own_error' THEN by_sound_frame
        WHEN 'without_reverted_ancestor' THEN by_lasting_frame
        WHEN 'without_failed_tx' THEN by_sound_tx
        WHEN 'receipts_only' THEN by_receipt
        ELSE by_any
      END AS first_seen
    FROM mart.deployer_first_seen
  ),
  fresh AS (
    SELECT chain_id, date_trunc('day', first_seen) AS bucket, count(*) AS deployers
    FROM first_seen
    WHERE first_seen IS NOT NULL
    GROUP BY chain_id, date_trunc('day', first_seen)
  ),
  running AS (
    SELECT
      b.chain_id,
      b.time_interval,
      b.bucket,
      CAST(sum(coalesce(f.deployers, 0)) OVER (
        PARTITION BY b.chain_id ORDER BY b.bucket ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38,0)) AS deployers,
      CASE variant()
        WHEN 'receipts_only' THEN b.receipts_covered_since_genesis
        WHEN 'without_failed_tx' THEN b.traces_covered_since_genesis AND b.receipts_covered_since_genesis
        ELSE b.traces_covered_since_genesis
      END AS covered
    FROM firn.coverage AS b
    LEFT JOIN fresh AS f ON f.chain_id = b.chain_id AND f.bucket = b.bucket
    WHERE b.time_interval = 'day'
  )
SELECT
  chain_id,
  'cumulativeDeployers' AS metric,
  time_interval,
  bucket,
  deployers AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  covered
FROM running
WHERE from_bucket(chain_id, time_interval, bucket)
