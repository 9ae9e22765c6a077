/*
claim: Every container that was to be decoded was, or its record in quarantine was accepted.
protects: [raw.node_containers*]
severity: blocks
*/
SELECT c.index_name, c."index", c.decode_error,
  -- Of a block of the C-Chain the metrics know by its height that it is missing, and another source may have it.
  CASE
    WHEN c.index_name = 'C/block' THEN 'raw.node_containers_c_atomic_transactions raw.node_containers_c_inputs raw.node_containers_c_outputs'
    ELSE 'raw.node_containers_' || lower(substr(c.index_name, 1, 1)) || '_*'
  END AS relation
FROM raw.node_containers AS c
WHERE in_new_loads(c._load_id) AND c.decode_error IS NOT NULL
  AND NOT EXISTS (
    SELECT 1
    FROM firn.gap AS g
    WHERE g.stream = 'node/containers' AND g."partition" = 'index_name=' || c.index_name AND g.from_position = c."index" AND g.to_position = c."index"
  )
