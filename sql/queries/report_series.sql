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
      WHEN m.denominator = 1 THEN m.numerator::VARCHAR
      WHEN m.chain_id IS NULL AND r.own_denominator = 1 THEN r.own_numerator::VARCHAR
      ELSE coalesce(m."value", r.own_value)::VARCHAR
    END AS own,
    CASE WHEN regexp_full_match(r.served_text, '[-+0-9.eE]+') THEN r.served_text ELSE '?' || left(r.served_text, 0) END AS served,
    r.verdict,
    r.scale
  FROM (SELECT * FROM {own} WHERE {wanted}) AS m
  FULL JOIN (SELECT * FROM mart.reconciliation WHERE {wanted}) AS r
    ON r.chain_id = m.chain_id AND r.metric = m.metric AND r.time_interval = m.time_interval AND r.bucket = m.bucket
),
newest AS (
  SELECT *, count(*) OVER (PARTITION BY chain_id, metric, time_interval) AS buckets
  FROM joined
  QUALIFY row_number() OVER (PARTITION BY chain_id, metric, time_interval ORDER BY bucket DESC)
    <= CASE time_interval WHEN 'hour' THEN $1::BIGINT ELSE $2::BIGINT END
),
stepped AS (
  SELECT *,
    epoch(bucket)::BIGINT // 3600 - lag(epoch(bucket)::BIGINT // 3600, 1, 0) OVER series AS step,
    first_block - coalesce(lag(last_block IGNORE NULLS) OVER series, 0) AS first_step,
    last_block - first_block AS last_step
  FROM newest
  WINDOW series AS (PARTITION BY chain_id, metric, time_interval ORDER BY bucket)
)
SELECT chain_id, metric, time_interval, any_value(buckets) AS buckets,
  -- The factor belongs to the series; its buckets that are not settled yet do not tell it.
  coalesce(max(scale) FILTER (scale <> 1), 1)::DOUBLE AS scale,
  string_agg(step::VARCHAR, ',' ORDER BY bucket) AS bucket,
  string_agg(coalesce(first_step::VARCHAR, ''), ',' ORDER BY bucket) AS first_block,
  string_agg(coalesce(last_step::VARCHAR, ''), ',' ORDER BY bucket) AS last_block,
  string_agg(coalesce(own, ''), ',' ORDER BY bucket) AS own,
  string_agg(CASE WHEN served = own THEN '=' ELSE coalesce(served, '') END, ',' ORDER BY bucket) AS served,
  string_agg(coalesce(verdict, ''), ',' ORDER BY bucket) AS verdict
FROM stepped GROUP BY chain_id, metric, time_interval ORDER BY chain_id, metric, time_interval
