/*
description: >-
  highest transactions of a block / seconds since the block before it, which may lie in the day before. The block before the first one
  must be held too.
traps: >-
  blocks in the same second as their parent have no rate and are skipped (1/0 is Infinity in DuckDB, and max keeps it); it is not the
  busiest second of the clock. A day without a block of its own second has no value.
metric:
  rank: 17
  title: Highest transactions per second
  unit: tx/s
  intervals: [day]
  needs: blocks
  quotient: true
  variants:
    merge_second: blocks of one second count as one
    dt_one: a distance of 0 counts as 1 second
    milliseconds: by timestampMilliseconds where both headers have it
  contributors: |
    SELECT "number", block_time, tx_count, seconds_since_previous, quotient(tx_count, seconds_since_previous) AS rate
    FROM mart.fct_block WHERE "number" > 0 AND seconds_since_previous > 0 AND chain_id = $chain AND block_time >= $from AND block_time < $until
    ORDER BY whole_quotient(tx_count * CAST('1000000000000000000' AS DECIMAL(38,0)), seconds_since_previous) DESC, "number" ASC LIMIT 10
*/
WITH
  blocks AS (
    SELECT
      chain_id,
      date_trunc('day', block_time) AS bucket,
      min("number") AS first_block,
      CAST(wide_sum(tx_count) AS DECIMAL(38,0)) AS transactions,
      max(seconds_since_previous) AS seconds,
      max(milliseconds_since_previous) AS milliseconds,
      count(*) = count(previous_time) AS all_have_previous
    FROM mart.fct_block
    WHERE "number" > 0 AND in_buckets(chain_id, 'day', block_time)
    GROUP BY chain_id, block_time, CASE variant() WHEN 'merge_second' THEN 0 ELSE "number" END
  ),
  rates AS (
    SELECT
      chain_id,
      bucket,
      first_block,
      CASE WHEN variant() = 'milliseconds' AND milliseconds IS NOT NULL THEN transactions * 1000 ELSE transactions END AS transactions,
      CASE
        WHEN variant() = 'milliseconds' AND milliseconds IS NOT NULL THEN milliseconds
        WHEN variant() = 'dt_one' AND seconds = 0 THEN 1
        ELSE seconds
      END AS seconds,
      all_have_previous
    FROM blocks
  ),
  ranked AS (
    SELECT
      chain_id,
      bucket,
      transactions,
      seconds,
      -- Rates compare exactly as whole numbers of 10^-18; of equal ones the earliest block stands.
      row_number() OVER (
        PARTITION BY chain_id, bucket ORDER BY whole_quotient(transactions * CAST('1000000000000000000' AS DECIMAL(38,0)), seconds) DESC, first_block ASC
      ) AS "rank"
    FROM rates
    WHERE seconds > 0
  ),
  proved AS (
    SELECT chain_id, bucket, bool_and(all_have_previous) AS all_have_previous FROM rates GROUP BY chain_id, bucket
  )
SELECT
  b.chain_id,
  'maxTps' AS metric,
  b.time_interval,
  b.bucket,
  CAST(r.transactions AS DECIMAL(38,0)) AS numerator,
  CAST(r.seconds AS DECIMAL(38,0)) AS denominator,
  b.blocks_covered AND coalesce(p.all_have_previous, true) AS covered
FROM firn.coverage AS b
LEFT JOIN ranked AS r ON r.chain_id = b.chain_id AND r.bucket = b.bucket AND r."rank" = 1
LEFT JOIN proved AS p ON p.chain_id = b.chain_id AND p.bucket = b.bucket
WHERE b.time_interval = 'day' AND in_buckets(b.chain_id, b.time_interval, b.bucket)
