/*
claim: Of every decoded block there are as many transaction rows as the block holds transactions, on the C-Chain from where on none were dropped.
protects: [raw.node_containers*]
severity: blocks
*/
WITH
  block AS (
    SELECT index_name, "index", 'transactions' AS kind, transaction_count AS expected
    FROM raw.node_containers_c_blocks AS d
    WHERE in_new_loads(_load_id)
      -- What was computed of rows that were dropped since is settled.
      AND NOT EXISTS (
        SELECT 1
        FROM firn.frozen AS z JOIN firn.chain AS c ON c.chain_id = z.chain_id
        WHERE c.alias || '/block' = d.index_name AND d."timestamp" < z.until
      )
    UNION ALL
    SELECT index_name, "index", 'atomic transactions', atomic_transaction_count FROM raw.node_containers_c_blocks WHERE in_new_loads(_load_id)
    UNION ALL
    SELECT index_name, "index", 'transactions', transaction_count FROM raw.node_containers_p_blocks WHERE in_new_loads(_load_id)
    UNION ALL
    SELECT index_name, "index", 'transactions', transaction_count FROM raw.node_containers_x_blocks WHERE in_new_loads(_load_id)
    UNION ALL
    SELECT index_name, "index", 'transactions', transaction_count FROM raw.node_containers_x_vertices WHERE in_new_loads(_load_id)
  ),
  -- Of an old load, too: a block that is read again and differs may have the transactions that it had.
  held AS (
    SELECT index_name, "index", 'transactions' AS kind FROM raw.node_containers_c_transactions
    UNION ALL
    SELECT index_name, "index", 'atomic transactions' FROM raw.node_containers_c_atomic_transactions
    UNION ALL
    SELECT index_name, "index", 'transactions' FROM raw.node_containers_p_transactions
    UNION ALL
    SELECT index_name, "index", 'transactions' FROM raw.node_containers_x_transactions
  )
SELECT b.index_name, b."index", b.kind, b.expected, count(h.kind) AS found, 'raw.node_containers raw.node_containers_' || lower(substr(b.index_name, 1, 1)) || '_*' AS relation
FROM block AS b
LEFT JOIN held AS h ON h.index_name = b.index_name AND h."index" = b."index" AND h.kind = b.kind
GROUP BY b.index_name, b."index", b.kind, b.expected
HAVING count(h.kind) <> b.expected
