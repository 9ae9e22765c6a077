/*
claim: >-
  Nothing that `firn verify --evidence` looked at breaks: signatures, ids, headers, transactions, receipts, gas, logs. A block that broke counts
  as broken, though it was read again since, until `firn verify --evidence` has looked again and a run follows.
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
SELECT chain_id, "number", block_hash, broken
FROM firn.evidence
WHERE broken IS NOT NULL
