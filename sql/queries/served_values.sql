-- What was served of some chains ({chains}, as literals) for metrics from one name to another ($1, $2), when its value was first seen, and whether answers a day apart agree on it that came after its bucket.
WITH loads AS (
  -- The newest bucket that had been served by then tells the time better than a clock, which may have jumped; not one that had not begun.
  SELECT chain_id, _load_id,
    max(max(CASE WHEN "timestamp" <= fetched_at THEN "timestamp" END)) OVER (PARTITION BY chain_id ORDER BY _load_id) AS newest
  FROM raw.metrics_chain_metrics_revisions WHERE chain_id IN ({chains}) GROUP BY chain_id, _load_id
),
kept AS (
  SELECT r.*, l.newest
  FROM raw.metrics_chain_metrics_revisions AS r JOIN loads AS l ON l.chain_id = r.chain_id AND l._load_id = r._load_id
  WHERE r.chain_id IN ({chains}) AND r.metric BETWEEN $1 AND $2
),
changed AS (
  SELECT k.chain_id, k.metric, k.time_interval, k."timestamp", max(k._load_id) AS load_id
  FROM kept AS k JOIN raw.metrics_chain_metrics AS s
    ON s.chain_id = k.chain_id AND s.metric = k.metric AND s.time_interval = k.time_interval AND s."timestamp" = k."timestamp"
  WHERE k.value_text IS DISTINCT FROM s.value_text OR coalesce(k.withdrawn, false)
  GROUP BY k.chain_id, k.metric, k.time_interval, k."timestamp"
),
-- Answers that had the value of today, since it last was another.
agreeing AS (
  SELECT k.*, end_of_bucket(k.time_interval, k."timestamp") AS bucket_end
  FROM kept AS k
  LEFT JOIN changed AS c
    ON c.chain_id = k.chain_id AND c.metric = k.metric AND c.time_interval = k.time_interval AND c."timestamp" = k."timestamp"
  WHERE k._load_id > coalesce(c.load_id, -1)
),
agreed AS (
  SELECT chain_id, metric, time_interval, "timestamp", min_by(fetched_at, _load_id) AS fetched_at,
    max_by(fetched_at, _load_id) >= min_by(fetched_at, _load_id) FILTER (WHERE newest >= bucket_end) + INTERVAL '24' HOUR
      AND max(newest) >= min(newest) FILTER (WHERE newest >= bucket_end) + INTERVAL '24' HOUR AS agrees
  FROM agreeing GROUP BY chain_id, metric, time_interval, "timestamp"
)
SELECT s.chain_id, s.metric, s.time_interval, s."timestamp" AS bucket, s.value_text, coalesce(s.withdrawn, false) AS withdrawn, a.fetched_at,
  coalesce(a.agrees, false) AS agrees
FROM raw.metrics_chain_metrics AS s
LEFT JOIN agreed AS a
  ON a.chain_id = s.chain_id AND a.metric = s.metric AND a.time_interval = s.time_interval AND a."timestamp" = s."timestamp"
WHERE s.chain_id IN ({chains}) AND s.metric BETWEEN $1 AND $2
