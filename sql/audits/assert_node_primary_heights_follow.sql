/*
claim: >-
  Heights of the P- and X-Chain follow the numbers of their index, but where something is known to be missing (`firn.gap`).
protects: [raw.node_containers*]
severity: blocks
*/
WITH
  block AS NOT MATERIALIZED (
    SELECT index_name, "index", height, _load_id FROM raw.node_containers_p_blocks
    UNION ALL
    SELECT index_name, "index", height, _load_id FROM raw.node_containers_x_blocks
  ),
  pair AS NOT MATERIALIZED (
    SELECT b.index_name, b."index", b.height, p.height AS height_before, 'raw.node_containers raw.node_containers_' || lower(substr(b.index_name, 1, 1)) || '_*' AS relation,
      b._load_id AS load_id, p._load_id AS load_before
    FROM block AS b
    -- Said both ways: whichever of the two is looked through is narrowed by its bare column.
    JOIN block AS p ON p.index_name = b.index_name AND p."index" = b."index" - 1 AND b."index" = p."index" + 1
    WHERE b.height <> p.height + 1
      AND NOT EXISTS (
        SELECT 1
        FROM firn.gap AS g
        WHERE g.stream = 'node/containers' AND g."partition" = 'index_name=' || b.index_name AND g.from_position = b."index"
      )
  )
-- Either side for itself: together they would join all blocks there are.
SELECT index_name, "index", height, height_before, relation
FROM pair
WHERE in_new_loads(load_id)
UNION ALL
SELECT index_name, "index", height, height_before, relation
FROM pair
WHERE in_new_loads(load_before) AND NOT in_new_loads(load_id)
