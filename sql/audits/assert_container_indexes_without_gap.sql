/*
claim: Containers of an index are numbered without a gap, but for what the configuration allows to be missing (`firn.gap`).
protects: [raw.node_containers*]
severity: blocks
*/
SELECT i.index_name, i.first_index, i.last_index, i.containers, 'raw.node_containers raw.node_containers_' || lower(substr(i.index_name, 1, 1)) || '_*' AS relation
FROM (
  SELECT index_name, min("index") AS first_index, max("index") AS last_index, count(*) AS containers
  FROM raw.node_containers
  WHERE in_new_loads(_load_id)
  GROUP BY index_name
) AS i
WHERE i.containers + (
    SELECT coalesce(sum(g.to_position - g.from_position + 1), 0)
    FROM firn.gap AS g
    WHERE g.stream = 'node/containers' AND g."partition" = 'index_name=' || i.index_name
      AND g.from_position > i.first_index AND g.to_position < i.last_index
  ) <> i.last_index - i.first_index + 1
