/*
claim: One row a height.
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
SELECT chain_id, "number", count(*) AS "rows"
FROM mart.fct_block
GROUP BY chain_id, "number"
HAVING count(*) > 1
