/*
description: >-
  All metrics of all EVM chains, recomputed from blocks. Every value is a ratio of two exact integers. Days are continuous, also without a
  block; hours, weeks and months without a block have no row. A row that is covered and has no numerator has no value (which is not 0);
  where it has a denominator nevertheless, the value exists and overflows 38 digits. A row that is not covered has no numerator either:
  what it would count is a lower bound.
traps: compare numerator and denominator, not value, which is rounded to a double for plots.
kept: table by bucket
files: { chain: chain_id, time: bucket, order: [chain_id, metric, time_interval, bucket] }
columns:
  chain_id: EVM chain id.
  metric: Name as the API spells it.
  time_interval: hour, day, week (from Monday) or month.
  bucket: Start of the bucket [UTC].
  numerator: Value times denominator; NULL where there is no value or the bucket is not covered.
  denominator: 1 for counts and sums; seconds or transactions for the averages and rates.
  value: Nearest double of numerator / denominator, for plots.
  state: open, closed or settled, by the newest block held.
  covered: Whether everything this metric counts is held for this bucket (and since genesis, for the cumulative ones).
  first_block: First block of the bucket.
  last_block: Last block of the bucket.
  sql_hash: 'Version of the metric: hash of its SQL and of the models under it.'
  source: Where the blocks are from.
  overflows: Whether the value needs more than 38 digits, and so has no numerator.
*/
WITH
  united AS (
    SELECT chain_id, metric, time_interval, bucket, numerator, denominator, covered FROM mart.metric_{metric} -- each metric, joined by UNION ALL
  )
SELECT
  u.chain_id,
  u.metric,
  u.time_interval,
  u.bucket,
  CASE WHEN u.covered THEN u.numerator END AS numerator,
  CASE WHEN u.covered THEN u.denominator END AS denominator,
  CASE WHEN u.covered THEN quotient(u.numerator, u.denominator) END AS "value",
  b.state,
  u.covered,
  b.first_block,
  b.last_block,
  m.sql_hash,
  b.source,
  u.covered AND u.numerator IS NULL AND u.denominator IS NOT NULL AS overflows
FROM united AS u
JOIN firn.coverage AS b ON b.chain_id = u.chain_id AND b.time_interval = u.time_interval AND b.bucket = u.bucket
LEFT JOIN firn.model AS m ON m.name = 'mart.metric_' || u.metric
