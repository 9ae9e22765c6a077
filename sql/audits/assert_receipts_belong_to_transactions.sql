/*
claim: 'Every receipt belongs to a transaction, from where on none were dropped: same place, same hash, same sender.'
protects:
  - raw.node_evm_blocks
  - raw.node_evm_transactions
  - raw.node_evm_receipts
  - raw.node_evm_logs
  - raw.node_evm_traces
  - raw.node_evm_trace_status
severity: blocks
*/
SELECT told.chain_id, told."number", told.tx_index, told.transaction_hash
FROM raw.node_evm_receipts AS told
-- As a LEFT JOIN without a partner DuckDB would read all transactions, and not those of these heights. Trino takes a name r for that of a signature.
WHERE in_new_loads(told._load_id)
  AND NOT EXISTS (
    SELECT 1
    FROM raw.node_evm_transactions AS t
    WHERE t.chain_id = told.chain_id AND t."number" = told."number" AND t.tx_index = told.tx_index AND t.hash = told.transaction_hash
      AND t.from_address = told.from_address
  )
  -- What was computed of rows that were dropped since is settled.
  AND NOT EXISTS (
    SELECT 1
    FROM firn.frozen AS z JOIN firn.coverage AS c ON c.chain_id = z.chain_id AND c.time_interval = 'hour' AND c.bucket_end = z.until
    WHERE z.chain_id = told.chain_id AND c.last_block >= told."number"
  )
