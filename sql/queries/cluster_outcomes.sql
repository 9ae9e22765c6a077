-- What became of every partition when workers last read it. $1: codes of failures that asking again may end. A control database that no worker of this version opened has no column of that yet.
WITH told AS (
  SELECT w.*, to_jsonb(w) ->> 'outcome' AS said, (to_jsonb(w) ->> 'behind')::bigint AS keys_left, (to_jsonb(w) ->> 'looked_at')::timestamptz AS at,
    to_jsonb(w) ->> 'code' AS kind, coalesce(to_jsonb(w) ->> 'code' = ANY($1::text[]), false) AS is_late,
    (to_jsonb(w) ->> 'read_at')::timestamptz AS whole_at, first_position IS NULL AS is_main
  FROM firn.part AS w JOIN firn.partition AS p USING (stream, partition)
  -- One that is read to its end and not joined to what lies right before it is of another chain.
  WHERE (beside IS NULL OR first_position IS NOT NULL) AND (NOT is_done OR first_position = p.joined_to)
),
newest AS (SELECT max(at) AS at FROM told)
SELECT stream, partition, max(keys_left)::float8 AS behind,
  -- Of what failed, first what does not come right by being asked for again.
  coalesce((array_agg(problem ORDER BY is_late, problem DESC NULLS LAST) FILTER (WHERE said = 'failed'))[1], max(problem) FILTER (WHERE is_main)) AS message,
  (array_agg(kind ORDER BY is_late, problem DESC NULLS LAST) FILTER (WHERE said = 'failed'))[1] AS code,
  CASE WHEN bool_or(said = 'failed') THEN 'failed' WHEN bool_and(is_main) THEN max(said) END AS outcome,
  (extract(epoch FROM max(at)) * 1000)::bigint::float8 AS at,
  (extract(epoch FROM max(whole_at) FILTER (WHERE is_main)) * 1000)::bigint::float8 AS read_at
FROM told
WHERE (stream, partition) IN (
  SELECT stream, partition FROM told WHERE due_at >= (SELECT newest.at FROM newest) - interval '1 day' OR lease_until > clock_timestamp()
)
GROUP BY stream, partition ORDER BY stream, partition
