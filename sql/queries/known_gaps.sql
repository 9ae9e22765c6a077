-- Positions that are known to be missing, in the words of DuckDB and PostgreSQL. What the source lacks was noted as it was read. A record in
-- quarantine leaves a hole at its position, which is known while it is accepted and unread, and so is what adjoins it: of a hole of several
-- records, none is known until all are accepted.
WITH held AS (
  SELECT stream, "partition", "position", load_id, accepted_at,
    "position" - dense_rank() OVER (PARTITION BY stream, "partition" ORDER BY "position") AS hole
  FROM firn.quarantine
  WHERE "position" IS NOT NULL AND replayed_at IS NULL
)
SELECT stream, "partition", from_position, to_position, load_id
FROM firn.gap AS g
WHERE NOT EXISTS (
  SELECT 1 FROM firn.quarantine AS q
  WHERE q.stream = g.stream AND q."partition" = g."partition" AND q."position" = g.from_position AND g.to_position = g.from_position
)
UNION ALL
SELECT stream, "partition", "position", "position", load_id
FROM (SELECT h.*, bool_and(accepted_at IS NOT NULL) OVER (PARTITION BY stream, "partition", hole) AS is_known FROM held AS h) AS k
WHERE is_known
