/*
claim: Where a block has receipts, it has one for each transaction.
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
SELECT chain_id, "number", tx_count, receipt_count
FROM mart.fct_block
WHERE receipts_held AND receipt_count <> tx_count
