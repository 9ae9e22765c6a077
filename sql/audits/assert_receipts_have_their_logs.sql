/*
claim: A receipt whose bloom filter is not empty has logs, from where on none were dropped.
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
WHERE in_new_loads(r._load_id)
  AND replace(r.logs_bloom, '0', '') <> 'x'
  AND NOT EXISTS (
    SELECT 1
    FROM raw.node_evm_logs AS l
    WHERE l.chain_id = r.chain_id AND l."number" = r."number" AND l.tx_index = r.tx_index
  )
  -- What was computed of rows that were dropped since is settled.
  AND NOT EXISTS (
    SELECT 1
    FROM firn.frozen AS z JOIN firn.coverage AS c ON c.chain_id = z.chain_id AND c.time_interval = 'hour' AND c.bucket_end = z.until
    WHERE z.chain_id = r.chain_id AND c.last_block >= r."number"
  )
