-- Where a cluster's partitions stand. Of positions also those that no row of a build has: what stretches have left to read, and what loads brought that
-- the build ($1 are those that it reads) does not show yet. One machine notes a backfill so that was interrupted, and audits ask for it.
WITH unread AS (
  SELECT stream, partition, int8range(coalesce((w.cursor::jsonb ->> 'next')::bigint, first_position), last_position + 1) AS positions
  FROM firn.part AS w WHERE first_position IS NOT NULL AND NOT is_done AND beside IS NULL
  UNION ALL
  SELECT stream, partition, int8range((position_from::jsonb ->> 'next')::bigint, (position_to::jsonb ->> 'next')::bigint)
  FROM (
    SELECT l.* FROM firn.load AS l JOIN firn.partition AS p ON (p.stream, p.partition) = (l.stream, l.partition)
    WHERE l.built_at IS NULL AND l.load_id <> ALL($1::bigint[]) AND p.joined_to IS NOT NULL OFFSET 0
  ) AS hidden
  -- A backfill of one machine, before its warehouse was moved, has another position.
  WHERE position_from::jsonb ->> 'next' IS NOT NULL AND position_to::jsonb ->> 'next' IS NOT NULL
),
stretch AS (SELECT stream, partition, unnest(range_agg(positions)) AS positions FROM unread GROUP BY stream, partition)
SELECT p.stream, p.partition, coalesce(w.cursor, json_build_object('next', p.joined_to)::text) AS position, 0 AS load_id,
  now() AT TIME ZONE 'UTC' AS updated_at
FROM firn.partition AS p
LEFT JOIN firn.part AS w ON w.stream = p.stream AND w.partition = p.partition AND w.first_position IS NULL AND w.beside IS NULL
WHERE coalesce(w.cursor, p.joined_to::text) IS NOT NULL
UNION ALL
SELECT stream, partition || '|backfill',
  '{"at":[' || string_agg('{"next":' || lower(positions) || ',"last":' || upper(positions) - 1 || '}', ',' ORDER BY positions) || ']}',
  0, now() AT TIME ZONE 'UTC'
FROM stretch GROUP BY stream, partition
