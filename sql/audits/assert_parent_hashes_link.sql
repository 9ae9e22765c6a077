/*
claim: Every block names the hash of the block before it.
protects:
  - raw.node_evm_blocks
  - raw.node_evm_transactions
  - raw.node_evm_receipts
  - raw.node_evm_logs
  - raw.node_evm_traces
  - raw.node_evm_trace_status
  - staging.evm_block
severity: blocks
*/
SELECT chain_id, "number", parent_hash, 'the block before has another hash' AS problem
FROM mart.fct_block
WHERE source <> 'data' AND previous_time IS NOT NULL AND NOT linked
