/*
claim: >-
  Where a block has receipts, their gas adds up to the header's; to no more than it in a block that is executed after it was accepted, as on
  the C-Chain from Helicon on, whose header names the most that its transactions may use.
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
WHERE receipts_held AND NOT settled_later AND receipt_gas_used <> gas_used
UNION ALL
SELECT b.chain_id, b."number", n.gas_used, b.receipt_gas_used
FROM mart.fct_block AS b
JOIN raw.node_evm_blocks AS n ON n.chain_id = b.chain_id AND n."number" = b."number"
WHERE b.receipts_held AND b.settled_later AND b.receipt_gas_used > n.gas_used
