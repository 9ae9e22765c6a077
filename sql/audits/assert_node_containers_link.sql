/*
claim: >-
  Every container names the one before it in its index as its parent, but where something is known to be missing (`firn.gap`).
protects: [raw.node_containers*]
severity: blocks
*/
WITH
  pair AS NOT MATERIALIZED (
    SELECT c.index_name, c."index", c.id, c.parent_id, p.id AS id_before, 'raw.node_containers raw.node_containers_' || lower(substr(c.index_name, 1, 1)) || '_*' AS relation,
      c._load_id AS load_id, p._load_id AS load_before
    FROM raw.node_containers AS c
    -- Said both ways: whichever of the two is looked through is narrowed by its bare column.
    JOIN raw.node_containers AS p ON p.index_name = c.index_name AND p."index" = c."index" - 1 AND c."index" = p."index" + 1
    -- One without a parent was not decoded, and its id is not proven either. (As a condition of its own it would have DuckDB take that side for the smaller.)
    WHERE c.parent_id <> CASE WHEN p.parent_id IS NOT NULL THEN p.id END
      AND NOT EXISTS (
        SELECT 1
        FROM firn.gap AS g
        WHERE g.stream = 'node/containers' AND g."partition" = 'index_name=' || c.index_name AND g.from_position = c."index"
      )
  )
-- Either side for itself: together they would join all containers there are.
SELECT index_name, "index", id, parent_id, id_before, relation
FROM pair
WHERE in_new_loads(load_id)
UNION ALL
SELECT index_name, "index", id, parent_id, id_before, relation
FROM pair
WHERE in_new_loads(load_before) AND NOT in_new_loads(load_id)
