/*
claim: Where a block has receipts, their gas adds up to the header's.
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
SELECT chain_id, "number", gas_used, receipt_gas_used
FROM mart.fct_block
WHERE receipts_held AND receipt_gas_used <> gas_used
