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
    WHERE "number" > 0 AND chain_id = $chain AND block_time >= $from AND block_time < $until ORDER BY tx_count DESC, "number" LIMIT 10
*/
WITH
  counted AS (
    SELECT
      f.chain_id,
      i.time_interval,
      date_trunc(i.time_interval, f.block_time) AS bucket,
      wide_sum(CASE variant() WHEN 'with_atomic' THEN f.tx_count + f.atomic_tx_count ELSE f.tx_count END) AS transactions
    FROM mart.fct_block AS f
    CROSS JOIN (VALUES ('hour'), ('day'), ('week'), ('month')) AS i (time_interval)
    WHERE f."number" > 0 AND in_buckets(f.chain_id, i.time_interval, f.block_time)
    GROUP BY f.chain_id, i.time_interval, date_trunc(i.time_interval, f.block_time)
  )
SELECT
  b.chain_id,
  'txCount' AS metric,
  b.time_interval,
  b.bucket,
  coalesce(c.transactions, 0) AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  b.blocks_covered AS covered
FROM firn.coverage AS b
LEFT JOIN counted AS c ON c.chain_id = b.chain_id AND c.time_interval = b.time_interval AND c.bucket = b.bucket
WHERE in_buckets(b.chain_id, b.time_interval, b.bucket)
