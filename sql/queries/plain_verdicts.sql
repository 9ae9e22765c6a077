-- Verdicts on series of some chains ({chains}, as literals) from one metric to another ($1, $2), in which each bucket says plainly what it is: the same whole number, not settled, or not covered. A series with any other bucket has none here.
WITH asked AS (
  SELECT * FROM (VALUES {asked}) AS given (chain_id, metric, time_interval, is_level, is_aggregate, newest, begins, query)
),
own AS (
  SELECT m.chain_id, m.metric, m.time_interval, m.bucket, m.numerator, m.denominator, m.covered, m.state,
    m.first_block, m.last_block, m.sql_hash
  FROM mart.metric AS m
  JOIN firn.coverage AS c ON c.chain_id = m.chain_id AND c.time_interval = m.time_interval AND c.bucket = m.bucket
  WHERE m.chain_id IN ({chains})
),
served AS (
  SELECT *, NOT withdrawn AS is_served FROM (
    {served}
  ) AS of_all
),
points AS MATERIALIZED (
  SELECT * FROM own FULL JOIN served USING (chain_id, metric, time_interval, bucket)
),
series AS (
  -- One that is dated ahead is no newer one.
  SELECT chain_id, metric, time_interval, max(bucket) FILTER (WHERE is_served AND bucket <= newest) AS newest_served,
    min(bucket) FILTER (WHERE state IS NOT NULL) AS oldest_own, max(bucket) FILTER (WHERE state IS NOT NULL) AS newest_own,
    min(first_block) AS oldest_block
  FROM points JOIN asked USING (chain_id, metric, time_interval) GROUP BY chain_id, metric, time_interval
),
judged AS MATERIALIZED (
  SELECT p.*, p.covered IS TRUE AS is_covered,
    p.bucket < s.newest_served AND (end_of_bucket(p.time_interval, p.bucket) + INTERVAL '72' HOUR <= a.newest OR p.agrees IS TRUE) AS is_settled,
    CASE
      WHEN s.newest_served IS NULL OR p.withdrawn THEN NULL
      -- Up to 15 digits a whole number and its double are the same.
      WHEN p.is_served AND NOT coalesce(regexp_full_match(p.value_text, '[0-9]{1,15}'), false) THEN NULL
      WHEN is_covered AND NOT coalesce(p.denominator = 1 AND p.numerator BETWEEN 0 AND 999999999999999, false) THEN NULL
      -- Between buckets that have rows, one without may be known to be empty; of one before block 1 a note says so.
      WHEN p.state IS NULL AND (s.oldest_block = 1 OR p.bucket >= s.oldest_own) AND p.bucket <= s.newest_own THEN NULL
      WHEN a.is_aggregate THEN 'no_own'
      WHEN NOT is_covered THEN CASE WHEN NOT a.is_level THEN 'own_incomplete' END
      -- Long after the newest one that is served, a note says so.
      WHEN p.bucket > s.newest_served AND end_of_bucket(p.time_interval, p.bucket) + CASE p.time_interval WHEN 'month' THEN INTERVAL '35' DAY ELSE INTERVAL '14' DAY END <= a.newest THEN NULL
      WHEN NOT is_settled THEN 'served_provisional'
      WHEN p.value_text = CAST(p.numerator AS VARCHAR) THEN 'equal'
    END AS verdict
  FROM points AS p JOIN series AS s USING (chain_id, metric, time_interval) JOIN asked AS a USING (chain_id, metric, time_interval)
  -- What was not asked for is not missing.
  WHERE p.is_served OR p.bucket >= a.begins
),
plain AS (
  SELECT chain_id, metric, time_interval, query FROM judged JOIN asked USING (chain_id, metric, time_interval) GROUP BY ALL HAVING bool_and(verdict IS NOT NULL)
)
SELECT chain_id, metric, time_interval, bucket, numerator AS own_numerator, denominator AS own_denominator, CAST(numerator AS DOUBLE) AS own_value,
  value_text AS served_text, CAST(value_text AS DOUBLE) AS served_value, verdict,
  CAST(CAST(value_text AS BIGINT) - CAST(numerator AS BIGINT) AS VARCHAR) AS difference_text,
  is_settled AS served_settled, state AS own_state, first_block, last_block, fetched_at, sql_hash,
  replace(query, '{bucket}', CAST(bucket AS VARCHAR)) AS query
FROM judged JOIN plain USING (chain_id, metric, time_interval) ORDER BY chain_id, metric, time_interval, bucket
