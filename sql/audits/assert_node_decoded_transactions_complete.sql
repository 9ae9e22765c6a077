/*
claim: Of every decoded block there are as many transaction rows as the block holds transactions.
protects: [raw.node_containers*]
severity: blocks
*/
WITH
  block AS (
    SELECT index_name, "index", 'transactions' AS kind, transaction_count AS expected, _load_id FROM raw.node_containers_c_blocks
    UNION ALL
    SELECT index_name, "index", 'atomic transactions', atomic_transaction_count, _load_id FROM raw.node_containers_c_blocks
    UNION ALL
    SELECT index_name, "index", 'transactions', transaction_count, _load_id FROM raw.node_containers_p_blocks
    UNION ALL
    SELECT index_name, "index", 'transactions', transaction_count, _load_id FROM raw.node_containers_x_blocks
    UNION ALL
    SELECT index_name, "index", 'transactions', transaction_count, _load_id FROM raw.node_containers_x_vertices
  ),
  held AS (
    SELECT index_name, "index", 'transactions' AS kind, count(*) AS found FROM raw.node_containers_c_transactions WHERE in_new_loads(_load_id) GROUP BY index_name, "index"
    UNION ALL
    SELECT index_name, "index", 'atomic transactions', count(*) FROM raw.node_containers_c_atomic_transactions WHERE in_new_loads(_load_id) GROUP BY index_name, "index"
    UNION ALL
    SELECT index_name, "index", 'transactions', count(*) FROM raw.node_containers_p_transactions WHERE in_new_loads(_load_id) GROUP BY index_name, "index"
    UNION ALL
    SELECT index_name, "index", 'transactions', count(*) FROM raw.node_containers_x_transactions WHERE in_new_loads(_load_id) GROUP BY index_name, "index"
  )
SELECT b.index_name, b."index", b.kind, b.expected, coalesce(h.found, 0) AS found, 'raw.node_containers raw.node_containers_' || lower(substr(b.index_name, 1, 1)) || '_*' AS relation
FROM block AS b
LEFT JOIN held AS h ON h.index_name = b.index_name AND h."index" = b."index" AND h.kind = b.kind
WHERE in_new_loads(b._load_id) AND coalesce(h.found, 0) <> b.expected
