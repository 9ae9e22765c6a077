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
SELECT b.chain_id, b."number", coalesce(n.gas_used, b.gas_used) AS gas_used, b.receipt_gas_used
FROM mart.fct_block AS b
-- Conditions of the left side stand in a key: beside an equality, they make DuckDB compare every row with every row.
LEFT JOIN raw.node_evm_blocks AS n ON n.chain_id = b.chain_id AND n."number" = CASE WHEN b.settled_later THEN b."number" END
WHERE b.receipts_held AND CASE WHEN b.settled_later THEN b.receipt_gas_used > n.gas_used ELSE b.receipt_gas_used <> b.gas_used END
