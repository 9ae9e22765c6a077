/*
claim: What avm.getTx says of an X-Chain transaction is what its container says.
protects: [raw.node_avm_transactions, raw.node_containers_x_transactions]
severity: warns
*/
WITH
  pair AS NOT MATERIALIZED (
    SELECT a.tx_id, a.tx_type AS avm_tx_type, t.tx_type AS container_tx_type, a.memo AS avm_memo, t.memo AS container_memo,
      a._load_id AS avm_load, t._load_id AS container_load
    FROM raw.node_avm_transactions AS a
    JOIN raw.node_containers_x_transactions AS t ON t.tx_id = a.tx_id
    WHERE a.tx_type <> t.tx_type OR a.network_id <> t.network_id OR a.blockchain_id <> t.blockchain_id OR a.memo IS DISTINCT FROM t.memo
      OR a.source_chain IS DISTINCT FROM t.source_chain_id OR a.destination_chain IS DISTINCT FROM t.destination_chain_id
      OR a.name IS DISTINCT FROM t.asset_name OR a.symbol IS DISTINCT FROM t.asset_symbol
  )
-- Either side for itself: together they would join all transactions there are.
SELECT tx_id, avm_tx_type, container_tx_type, avm_memo, container_memo
FROM pair
WHERE in_new_loads(avm_load)
UNION ALL
SELECT tx_id, avm_tx_type, container_tx_type, avm_memo, container_memo
FROM pair
WHERE in_new_loads(container_load) AND NOT in_new_loads(avm_load)
UNION ALL
SELECT a.tx_id, a.tx_type, t.tx_type, 'inputs and outputs: ' || CAST(a.members AS VARCHAR), CAST(t.members AS VARCHAR)
FROM (
  SELECT tx_id, tx_type, _load_id,
    json_array_length(inputs) + coalesce(json_array_length(imported_inputs), 0) + json_array_length(outputs) + coalesce(json_array_length(exported_outputs), 0) AS members
  FROM raw.node_avm_transactions
) AS a
JOIN (
  -- From before the chain was linear it stands in the index X/tx and in one or more vertices.
  SELECT index_name, "index", tx_id, tx_type, count(*) AS members
  FROM (
    SELECT t.index_name, t."index", t.tx_id, t.tx_type
    FROM raw.node_containers_x_transactions AS t
    JOIN raw.node_containers_x_inputs AS i ON i.index_name = t.index_name AND i."index" = t."index" AND i.tx_id = t.tx_id AND i.source <> 'operation'
    UNION ALL
    SELECT t.index_name, t."index", t.tx_id, t.tx_type
    FROM raw.node_containers_x_transactions AS t
    JOIN raw.node_containers_x_outputs AS o ON o.index_name = t.index_name AND o."index" = t."index" AND o.tx_id = t.tx_id AND o.destination IN ('output', 'exported')
  )
  WHERE tx_id IN (SELECT tx_id FROM raw.node_avm_transactions WHERE in_new_loads(_load_id))
  GROUP BY index_name, "index", tx_id, tx_type
) AS t ON t.tx_id = a.tx_id
WHERE in_new_loads(a._load_id) AND a.members <> t.members
