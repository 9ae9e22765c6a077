/*
claim: >-
  Where both the index and the JSON-RPC give a block, its transactions are the same, with the same senders. Of one whose type the index's
  bytes are not decoded for, the hash is.
protects: [raw.node_containers_c_transactions, raw.node_evm_transactions]
severity: warns
*/
WITH
  pair AS NOT MATERIALIZED (
    SELECT c.chain_id, t.block_number, t.tx_index, t.hash AS container_hash, n.hash AS rpc_hash, t.from_address, n.from_address AS rpc_from_address,
      t._load_id AS container_load, n._load_id AS rpc_load
    FROM raw.node_containers_c_transactions AS t
    JOIN firn.chain AS c ON c.alias || '/block' = t.index_name
    JOIN raw.node_evm_transactions AS n ON n.chain_id = c.chain_id AND n."number" = t.block_number AND n.tx_index = t.tx_index
    WHERE t.hash <> n.hash
      OR t.raw_transaction IS NULL
      AND (t.from_address <> n.from_address OR t.to_address IS DISTINCT FROM n.to_address OR t."value" IS DISTINCT FROM n."value" OR t.value_text IS DISTINCT FROM n.value_text)
  )
-- Either side for itself: together they would join all transactions there are.
SELECT chain_id, block_number, tx_index, container_hash, rpc_hash, from_address, rpc_from_address
FROM pair
WHERE in_new_loads(container_load)
UNION ALL
SELECT chain_id, block_number, tx_index, container_hash, rpc_hash, from_address, rpc_from_address
FROM pair
WHERE in_new_loads(rpc_load) AND NOT in_new_loads(container_load)
