/*
claim: >-
  Every container names the one before it in its index as its parent, but where something is known to be missing (`firn.gap`).
protects: [raw.node_containers*]
severity: blocks
*/
SELECT c.index_name, c."index", c.id, c.parent_id, p.id AS id_before, 'raw.node_containers raw.node_containers_' || lower(substr(c.index_name, 1, 1)) || '_*' AS relation
FROM raw.node_containers AS c
JOIN raw.node_containers AS p ON p.index_name = c.index_name AND p."index" = c."index" - 1
WHERE (in_new_loads(c._load_id) OR in_new_loads(p._load_id))
  AND c.parent_id <> p.id
  -- One without a parent was not decoded, and its id is not proven either.
  AND p.parent_id IS NOT NULL
  AND NOT EXISTS (
    SELECT 1
    FROM firn.gap AS g
    WHERE g.stream = 'node/containers' AND g."partition" = 'index_name=' || c.index_name AND g.from_position = c."index"
  )
