-- cumulativeContracts: contracts created (as in contracts) from genesis to the end of the day.
-- Unit: contracts. Interval: day. Needs every trace since genesis.
-- Traps: the published definition ends "at the timestamp", the others "24 hours after"; recorded numbers fit the end of the day.
-- Variants: exclusive (up to the start of the day), without_own_error, without_reverted_ancestor, without_failed_tx,
-- receipts_only (as in contracts)
-- Kept as: view
WITH
  created AS (
    SELECT chain_id, date_trunc('day', block_time) AS bucket, count(*) AS contracts
    FROM mart.fct_contract_creation
    WHERE CASE variant()
      WHEN 'without_own_error' THEN by_trace AND NOT own_error
      WHEN 'without_reverted_ancestor' THEN by_trace AND NOT reverted
      WHEN 'without_failed_tx' THEN by_trace AND NOT tx_failed
      WHEN 'receipts_only' THEN outermost AND NOT tx_failed
      ELSE by_trace
    END
    GROUP BY chain_id, date_trunc('day', block_time)
  ),
  running AS (
    SELECT
      b.chain_id,
      b.time_interval,
      b.bucket,
      CAST(sum(coalesce(c.contracts, 0)) OVER (
        PARTITION BY b.chain_id ORDER BY b.bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38,0)) AS contracts,
      coalesce(c.contracts, 0) AS contracts_of_day,
      CASE variant() WHEN 'receipts_only' THEN b.receipts_covered_since_genesis ELSE b.traces_covered_since_genesis END AS covered
    FROM firn.coverage AS b
    LEFT JOIN created AS c ON c.chain_id = b.chain_id AND c.bucket = b.bucket
    WHERE b.time_interval = 'day'
  )
SELECT
  chain_id,
  'cumulativeContracts' AS metric,
  time_interval,
  bucket,
  CAST(CASE variant() WHEN 'exclusive' THEN contracts - contracts_of_day ELSE contracts END AS DECIMAL(38,0)) AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  covered
FROM running
WHERE from_bucket(chain_id, time_interval, bucket)
