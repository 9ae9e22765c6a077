/*
claim: 'Every receipt belongs to a transaction: same place, same hash, same sender.'
protects:
  - raw.node_evm_blocks
  - raw.node_evm_transactions
  - raw.node_evm_receipts
  - raw.node_evm_logs
  - raw.node_evm_traces
  - raw.node_evm_trace_status
severity: blocks
*/
SELECT r.chain_id, r."number", r.tx_index, r.transaction_hash
FROM raw.node_evm_receipts AS r
-- As a LEFT JOIN without a partner DuckDB would read all transactions, and not those of these heights.
WHERE in_new_loads(r._load_id) AND NOT EXISTS (
  SELECT 1
  FROM raw.node_evm_transactions AS t
  WHERE t.chain_id = r.chain_id AND t."number" = r."number" AND t.tx_index = r.tx_index AND t.hash = r.transaction_hash
    AND t.from_address = r.from_address
)
