/*
claim: Every log belongs to a receipt of the same transaction, from where on none were dropped.
protects:
  - raw.node_evm_blocks
  - raw.node_evm_transactions
  - raw.node_evm_receipts
  - raw.node_evm_logs
  - raw.node_evm_traces
  - raw.node_evm_trace_status
severity: blocks
*/
SELECT l.chain_id, l."number", l.log_index, l.tx_index, l.transaction_hash
FROM raw.node_evm_logs AS l
-- As a LEFT JOIN without a partner DuckDB would read all receipts, and not those of these heights.
WHERE in_new_loads(l._load_id)
  AND NOT EXISTS (
    SELECT 1
    FROM raw.node_evm_receipts AS r
    WHERE r.chain_id = l.chain_id AND r."number" = l."number" AND r.tx_index = l.tx_index AND r.transaction_hash = l.transaction_hash
  )
  -- What was computed of rows that were dropped since is settled.
  AND NOT EXISTS (
    SELECT 1
    FROM firn.frozen AS z JOIN firn.coverage AS c ON c.chain_id = z.chain_id AND c.time_interval = 'hour' AND c.bucket_end = z.until
    WHERE z.chain_id = l.chain_id AND c.last_block >= l."number"
  )
