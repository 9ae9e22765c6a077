/*
description: >-
  gas used of the day / seconds from the last block before the day, on whichever day, to the last block of the day. The block before the
  first one must be held too.
traps: >-
  gas of atomic transactions is outside; the first day counts from genesis, whose time may lie years back. A day without a block has 0; a
  distance of 0 has no value. The distances of the day's blocks to their parents add up to the divisor.
metric:
  rank: 14
  title: Average gas per second
  unit: gas/s
  intervals: [day]
  needs: blocks
  quotient: true
  variants:
    first_day_null: no value on the first day
    empty_day_null: none on a day without a block
    calendar_seconds: divided by 86400
  contributors: |
    SELECT "number", block_time, gas_used, seconds_since_previous, hash FROM mart.fct_block
    WHERE "number" > 0 AND chain_id = $chain AND block_time >= $from AND block_time < $until ORDER BY gas_used DESC, "number" ASC LIMIT 10
*/
WITH
  summed AS (
    SELECT
      chain_id,
      date_trunc('day', block_time) AS bucket,
      wide_sum(gas_used) AS gas,
      wide_sum(seconds_since_previous) AS seconds,
      count(*) = count(previous_time) AS all_have_previous,
      min("number") AS first_block
    FROM mart.fct_block
    WHERE "number" > 0 AND in_buckets(chain_id, 'day', block_time)
    GROUP BY chain_id, date_trunc('day', block_time)
  ),
  rated AS (
    SELECT
      b.chain_id,
      b.time_interval,
      b.bucket,
      coalesce(s.gas, 0) AS gas,
      CASE
        WHEN variant() = 'calendar_seconds' THEN CAST(86400 AS DECIMAL(38,0))
        WHEN variant() = 'first_day_null' AND s.first_block = 1 THEN NULL
        WHEN s.bucket IS NOT NULL THEN nullif(s.seconds, 0)
        WHEN variant() = 'empty_day_null' THEN NULL
        ELSE CAST(1 AS DECIMAL(38,0))
      END AS seconds,
      b.gas_covered AND (coalesce(s.all_have_previous, true) OR variant() = 'calendar_seconds') AS covered
    FROM firn.coverage AS b
    LEFT JOIN summed AS s ON s.chain_id = b.chain_id AND s.bucket = b.bucket
    WHERE b.time_interval = 'day'
  )
SELECT
  chain_id,
  'avgGps' AS metric,
  time_interval,
  bucket,
  CASE WHEN seconds IS NOT NULL THEN gas END AS numerator,
  seconds AS denominator,
  covered
FROM rated
WHERE in_buckets(chain_id, time_interval, bucket)
