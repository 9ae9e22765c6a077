/*
description: 'contracts created: call frames of type CREATE, CREATE2 or CREATE3, failed frames included.'
traps: receipts show only what the transaction itself creates; most contracts are created inside.
metric:
  rank: 6
  title: New contracts
  unit: contracts
  intervals: [day]
  needs: traces
  variants:
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
    SELECT chain_id, date_trunc('day', block_time) AS bucket, count(*) AS counted
    FROM mart.fct_contract_creation
    WHERE in_buckets(chain_id, 'day', block_time) AND CASE variant()
      WHEN 'without_own_error' THEN by_trace AND NOT own_error
      WHEN 'without_reverted_ancestor' THEN by_trace AND NOT reverted
      WHEN 'without_failed_tx' THEN by_trace AND NOT tx_failed
      WHEN 'receipts_only' THEN outermost AND NOT tx_failed
      ELSE by_trace
    END
    GROUP BY chain_id, date_trunc('day', block_time)
  )
SELECT
  b.chain_id,
  'contracts' AS metric,
  b.time_interval,
  b.bucket,
  CAST(coalesce(c.counted, 0) AS DECIMAL(38,0)) AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  CASE variant()
    WHEN 'receipts_only' THEN b.receipts_covered
    WHEN 'without_failed_tx' THEN b.traces_covered AND b.receipts_covered
    ELSE b.traces_covered
  END AS covered
FROM firn.coverage AS b
LEFT JOIN created AS c ON c.chain_id = b.chain_id AND c.bucket = b.bucket
WHERE b.time_interval = 'day' AND in_buckets(b.chain_id, b.time_interval, b.bucket)
