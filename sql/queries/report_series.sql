-- Series with the newest of their buckets as columns of text (SeriesColumns): one row a series, however many buckets it has.
-- $1: most hours of a series. $2: most buckets of another interval. {own}: mart.metric, or an empty SELECT of its columns.
-- {wanted}: condition on chain_id.
WITH joined AS (
  SELECT
    coalesce(m.chain_id, r.chain_id) AS chain_id,
    coalesce(m.metric, r.metric) AS metric,
    coalesce(m.time_interval, r.time_interval) AS time_interval,
    coalesce(m.bucket, r.bucket) AS bucket,
    coalesce(m.first_block, r.first_block) AS first_block,
    coalesce(m.last_block, r.last_block) AS last_block,
    CASE
      WHEN NOT coalesce(m.covered, r.own_numerator IS NOT NULL) THEN '-'
      WHEN m.denominator = 1 THEN CAST(m.numerator AS VARCHAR)
      WHEN m.chain_id IS NULL AND r.own_denominator = 1 THEN CAST(r.own_numerator AS VARCHAR)
      ELSE CAST(coalesce(m."value", r.own_value) AS VARCHAR)
    END AS own,
    CASE WHEN regexp_matches(r.served_text, '^[-+0-9.eE]+$') THEN r.served_text ELSE '?' || left(r.served_text, 0) END AS served,
    r.verdict,
    r.scale
  FROM (SELECT * FROM {own} WHERE {wanted}) AS m
  FULL JOIN (SELECT * FROM mart.reconciliation WHERE {wanted}) AS r
    ON r.chain_id = m.chain_id AND r.metric = m.metric AND r.time_interval = m.time_interval AND r.bucket = m.bucket
),
numbered AS (
  SELECT *, count(*) OVER (PARTITION BY chain_id, metric, time_interval) AS buckets,
    row_number() OVER (PARTITION BY chain_id, metric, time_interval ORDER BY bucket DESC) AS place
  FROM joined
),
-- Quarters of an hour, by which zones differ: a service may count days of another one.
newest AS (
  SELECT *, CAST(epoch_ms(bucket) / 900000.0 AS BIGINT) AS quarter FROM numbered
  WHERE place <= CASE time_interval WHEN 'hour' THEN CAST($1 AS BIGINT) ELSE CAST($2 AS BIGINT) END
),
stepped AS (
  SELECT *,
    quarter - lag(quarter, 1, 0) OVER series AS step,
    -- Blocks follow buckets: the highest is that of the last bucket that has any.
    first_block - coalesce(max(last_block) OVER (series ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS first_step,
    last_block - first_block AS last_step
  FROM newest
  WINDOW series AS (PARTITION BY chain_id, metric, time_interval ORDER BY bucket)
)
SELECT chain_id, metric, time_interval, max(buckets) AS buckets,
  -- The factor belongs to the series; its buckets that are not settled yet do not tell it.
  CAST(coalesce(max(scale), 1) AS DOUBLE) AS scale,
  array_to_string(array_agg(CAST(step AS VARCHAR) ORDER BY bucket), ',') AS bucket,
  array_to_string(array_agg(coalesce(CAST(first_step AS VARCHAR), '') ORDER BY bucket), ',') AS first_block,
  array_to_string(array_agg(coalesce(CAST(last_step AS VARCHAR), '') ORDER BY bucket), ',') AS last_block,
  array_to_string(array_agg(coalesce(own, '') ORDER BY bucket), ',') AS own,
  array_to_string(array_agg(CASE WHEN served = own THEN '=' ELSE coalesce(served, '') END ORDER BY bucket), ',') AS served,
  array_to_string(array_agg(coalesce(verdict, '') ORDER BY bucket), ',') AS verdict
FROM stepped GROUP BY chain_id, metric, time_interval ORDER BY chain_id, metric, time_interval
