/*
description: transactions from genesis to the end of the day, failed ones included.
traps: a day without a block carries the level on.
metric:
  rank: 9
  title: Transactions so far
  unit: transactions
  intervals: [day]
  needs: blocks since genesis
  total_of: txCount
  variants:
    with_atomic: atomic transactions of the C-Chain too
  contributors: |
    SELECT "number", block_time, tx_count, seconds_since_previous, hash FROM mart.fct_block
    WHERE "number" > 0 AND chain_id = $chain AND block_time >= $from AND block_time < $until ORDER BY tx_count DESC, "number" ASC LIMIT 10
*/
WITH
  running AS (
    SELECT
      chain_id,
      time_interval,
      bucket,
      CAST(sum(CASE variant() WHEN 'with_atomic' THEN transactions + atomic_transactions ELSE transactions END) OVER (
        PARTITION BY chain_id ORDER BY bucket ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38,0)) AS transactions,
      blocks_covered_since_genesis
    FROM firn.coverage
    WHERE time_interval = 'day'
  )
SELECT
  chain_id,
  'cumulativeTxCount' AS metric,
  time_interval,
  bucket,
  transactions AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  blocks_covered_since_genesis AS covered
FROM running
WHERE from_bucket(chain_id, time_interval, bucket)
