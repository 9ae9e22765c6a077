/*
claim: Where both the index and the JSON-RPC give a block, they give the same one, with as many transactions.
protects: [raw.node_containers_c_blocks, raw.node_evm_blocks]
severity: warns
*/
SELECT c.chain_id, b."number", b.hash AS container_hash, n.hash AS rpc_hash, b.gas_used AS container_gas, n.gas_used AS rpc_gas,
  b.transaction_count AS container_transactions, f.tx_count AS rpc_transactions
FROM raw.node_containers_c_blocks AS b
JOIN firn.chain AS c ON c.alias || '/block' = b.index_name
JOIN raw.node_evm_blocks AS n ON n.chain_id = c.chain_id AND n."number" = b."number"
LEFT JOIN mart.fct_block AS f ON f.chain_id = n.chain_id AND f."number" = n."number" AND f.source = 'node'
WHERE (in_new_loads(b._load_id) OR in_new_loads(n._load_id))
  AND (b.hash <> n.hash OR b.parent_hash <> n.parent_hash OR b."timestamp" <> n."timestamp" OR b.gas_used <> n.gas_used
    OR b.transaction_count <> f.tx_count)
