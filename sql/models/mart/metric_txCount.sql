/*
description: number of transactions, failed ones included.
traps: atomic transactions of the C-Chain stand in the block's extra data and are no EVM transactions.
metric:
  rank: 1
  title: Transactions
  unit: transactions
  intervals: [hour, day, week, month]
  needs: blocks
  variants:
    with_atomic: atomic transactions of the C-Chain too
  contributors: |
    SELECT "number", block_time, tx_count, seconds_since_previous, hash FROM mart.fct_block
    WHERE "number" > 0 AND chain_id = $chain AND block_time >= $from AND block_time < $until ORDER BY tx_count DESC, "number" ASC LIMIT 10
*/
SELECT
  chain_id,
  'txCount' AS metric,
  time_interval,
  bucket,
  CAST(CASE variant() WHEN 'with_atomic' THEN transactions + atomic_transactions ELSE transactions END AS DECIMAL(38,0)) AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  blocks_covered AS covered
FROM firn.coverage
WHERE in_buckets(chain_id, time_interval, bucket)
