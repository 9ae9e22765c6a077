/*
claim: >-
  Where a block has receipts, their gas adds up to the header's. A block that is executed after it was accepted, as on the C-Chain from Helicon
  on, names in its header the most that its transactions may use (it has a settledHeight): there they add up to no more. Containers have
  no receipts.
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
SELECT b.chain_id, b."number", b.gas_used, b.receipt_gas_used
FROM mart.fct_block AS b
LEFT JOIN raw.node_evm_blocks AS n
  ON n.chain_id = b.chain_id AND n."number" = b."number" AND json_extract_string(n._extra, '$.settledHeight') IS NOT NULL
WHERE b.receipts_held AND b.source IS DISTINCT FROM 'containers' AND b.receipt_gas_used <> b.gas_used AND (n."number" IS NULL OR b.receipt_gas_used > b.gas_used)
