/*
claim: Where both the index and the JSON-RPC give a block, they give the same one, with as many transactions.
protects: [raw.node_containers_c_blocks, raw.node_evm_blocks]
severity: warns
*/
WITH
  pair AS NOT MATERIALIZED (
    SELECT c.chain_id, b."number", b.hash AS container_hash, n.hash AS rpc_hash, b.gas_used AS container_gas, n.gas_used AS rpc_gas,
      b.transaction_count AS container_transactions, f.tx_count AS rpc_transactions, b._load_id AS container_load, n._load_id AS rpc_load
    FROM raw.node_containers_c_blocks AS b
    JOIN firn.chain AS c ON c.alias || '/block' = b.index_name
    JOIN raw.node_evm_blocks AS n ON n.chain_id = c.chain_id AND n."number" = b."number"
    LEFT JOIN (
      -- As a condition of the join the source would have DuckDB take these for few, and read them all.
      SELECT chain_id, "number", CASE WHEN source = 'node' THEN tx_count END AS tx_count FROM mart.fct_block
    ) AS f ON f.chain_id = n.chain_id AND f."number" = n."number"
    WHERE b.hash <> n.hash OR b.parent_hash <> n.parent_hash OR b."timestamp" <> n."timestamp" OR b.gas_used <> n.gas_used
      OR b.transaction_count <> f.tx_count
  )
-- Either side for itself: together they would join all blocks there are.
SELECT chain_id, "number", container_hash, rpc_hash, container_gas, rpc_gas, container_transactions, rpc_transactions
FROM pair
WHERE in_new_loads(container_load)
UNION ALL
SELECT chain_id, "number", container_hash, rpc_hash, container_gas, rpc_gas, container_transactions, rpc_transactions
FROM pair
WHERE in_new_loads(rpc_load) AND NOT in_new_loads(container_load)
