/*
description: >-
  gas used by the transactions: the sum of the headers' gas, which is that of the receipts (where receipts are held and do not add up to
  it, the bucket is not covered).
traps: gas of atomic transactions (extDataGasUsed of the C-Chain) is outside.
metric:
  rank: 4
  title: Gas used
  unit: gas
  intervals: [hour, day, week, month]
  needs: blocks
  contributors: |
    SELECT "number", block_time, gas_used, seconds_since_previous, hash FROM mart.fct_block
    WHERE "number" > 0 AND chain_id = $chain AND block_time >= $from AND block_time < $until ORDER BY gas_used DESC, "number" LIMIT 10
*/
WITH
  counted AS (
    SELECT f.chain_id, i.time_interval, date_trunc(i.time_interval, f.block_time) AS bucket, wide_sum(f.gas_used) AS gas
    FROM mart.fct_block AS f
    CROSS JOIN (VALUES ('hour'), ('day'), ('week'), ('month')) AS i (time_interval)
    WHERE f."number" > 0 AND in_buckets(f.chain_id, i.time_interval, f.block_time)
    GROUP BY f.chain_id, i.time_interval, date_trunc(i.time_interval, f.block_time)
  )
SELECT
  b.chain_id,
  'gasUsed' AS metric,
  b.time_interval,
  b.bucket,
  coalesce(c.gas, 0) AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  b.gas_covered AS covered
FROM firn.coverage AS b
LEFT JOIN counted AS c ON c.chain_id = b.chain_id AND c.time_interval = b.time_interval AND c.bucket = b.bucket
WHERE in_buckets(b.chain_id, b.time_interval, b.bucket)
