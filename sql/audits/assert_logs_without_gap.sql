/*
claim: Logs of a block are numbered from 0 without a gap.
protects:
  - raw.node_evm_blocks
  - raw.node_evm_transactions
  - raw.node_evm_receipts
  - raw.node_evm_logs
  - raw.node_evm_traces
  - raw.node_evm_trace_status
severity: blocks
*/
SELECT l.chain_id, l."number", count(*) AS logs, max(l.log_index) AS last_index
FROM raw.node_evm_logs AS l
JOIN (SELECT DISTINCT chain_id, "number" FROM raw.node_evm_logs WHERE in_new_loads(_load_id)) AS n
  ON n.chain_id = l.chain_id AND n."number" = l."number"
GROUP BY l.chain_id, l."number"
HAVING count(*) <> max(l.log_index) + 1
