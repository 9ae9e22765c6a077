/*
claim: No block is older than its parent.
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
SELECT chain_id, "number", block_time, previous_time
FROM mart.fct_block
WHERE previous_time > block_time
