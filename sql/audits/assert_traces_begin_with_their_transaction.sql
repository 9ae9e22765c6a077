/*
claim: >-
  The outermost frame of a trace is the transaction itself, from where on none were dropped: same sender, and the same receiver unless it
  creates a contract.
protects:
  - raw.node_evm_blocks
  - raw.node_evm_transactions
  - raw.node_evm_receipts
  - raw.node_evm_logs
  - raw.node_evm_traces
  - raw.node_evm_trace_status
severity: blocks
*/
SELECT f.chain_id, f."number", f.tx_index, f.from_address, t.from_address AS tx_from_address
FROM raw.node_evm_traces AS f
LEFT JOIN raw.node_evm_transactions AS t
  ON t.chain_id = f.chain_id AND t."number" = f."number" AND t.tx_index = f.tx_index
WHERE in_new_loads(f._load_id) AND f.frame = 0
  AND (t.from_address IS DISTINCT FROM f.from_address OR t.to_address <> f.to_address)
  -- What was computed of rows that were dropped since is settled.
  AND NOT EXISTS (
    SELECT 1
    FROM firn.frozen AS z JOIN firn.coverage AS c ON c.chain_id = z.chain_id AND c.time_interval = 'hour' AND c.bucket_end = z.until
    WHERE z.chain_id = f.chain_id AND c.last_block >= f."number"
  )
