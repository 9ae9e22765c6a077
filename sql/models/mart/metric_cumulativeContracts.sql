/*
description: contracts created (as in contracts) from genesis to the end of the day.
traps: the published definition ends "at the timestamp", the others "24 hours after"; recorded numbers fit the end of the day.
metric:
  rank: 11
  title: Contracts so far
  unit: contracts
  intervals: [day]
  needs: traces since genesis
  total_of: contracts
  before: exclusive
  variants:
    exclusive: up to the start of the day
    without_own_error: frames that failed themselves left out
    without_reverted_ancestor: frames that failed or lie in one that did left out
    without_failed_tx: frames of failed transactions left out
    receipts_only: 'only what receipts tell: a lower bound'
  contributors: |
    SELECT creator, count(*) AS contracts, count(*) FILTER (WHERE reverted) AS reverted, min("number") AS first_block
    FROM mart.fct_contract_creation WHERE by_trace AND chain_id = $chain AND block_time >= $from AND block_time < $until GROUP BY creator ORDER BY contracts DESC, creator ASC LIMIT 10
*/
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
        PARTITION BY b.chain_id ORDER BY b.bucket ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38,0)) AS contracts,
      coalesce(c.contracts, 0) AS contracts_of_day,
      CASE variant()
        WHEN 'receipts_only' THEN b.receipts_covered_since_genesis
        WHEN 'without_failed_tx' THEN b.traces_covered_since_genesis AND b.receipts_covered_since_genesis
        ELSE b.traces_covered_since_genesis
      END AS covered
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
