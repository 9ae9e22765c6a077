/*
claim: >-
  Containers of an index are numbered without a gap, but for what is known to be missing (`firn.gap`), and what a backfill that was
  interrupted has left to read.
protects: [raw.node_containers*]
severity: blocks
*/
WITH
  -- The neighbours of new rows, since new rows may be several stretches: what came since, and days that were read again.
  beside AS (
    SELECT c.index_name, c."index", c."index" + s.step AS missing
    FROM raw.node_containers AS c
    CROSS JOIN (VALUES (-1), (1)) AS s (step)
    JOIN (SELECT index_name, min("index") AS first_index, max("index") AS last_index FROM raw.node_containers GROUP BY index_name) AS i
      ON i.index_name = c.index_name AND c."index" + s.step BETWEEN i.first_index AND i.last_index
    LEFT JOIN raw.node_containers AS n ON n.index_name = c.index_name AND n."index" = c."index" + s.step
    WHERE in_new_loads(c._load_id) AND n."index" IS NULL
      AND NOT EXISTS (
        SELECT 1
        FROM firn.checkpoint AS k
        WHERE k.stream = 'node/containers' AND k."partition" = 'index_name=' || c.index_name || '|backfill'
          AND position_says(k."position", CASE WHEN s.step = 1 THEN 'next' ELSE 'last' END, c."index" + s.step)
      )
  ),
  -- Gaps and what is missing in one order: there may be thousands of both.
  placed AS (
    SELECT 'index_name=' || index_name AS "partition", missing AS place, NULL AS gap_end, index_name, "index" FROM beside
    UNION ALL
    SELECT "partition", from_position, to_position, NULL, NULL FROM firn.gap WHERE stream = 'node/containers'
  ),
  known AS (
    SELECT index_name, "index", place, max(gap_end) OVER (PARTITION BY "partition" ORDER BY place ASC) AS gap_end FROM placed
  )
SELECT index_name, "index", place AS missing, 'raw.node_containers raw.node_containers_' || lower(substr(index_name, 1, 1)) || '_*' AS relation
FROM known
WHERE index_name IS NOT NULL AND coalesce(gap_end, -1) < place
