/*
claim: >-
  Nothing that `firn verify --evidence` looked at breaks: signatures, ids, headers, transactions, receipts, gas, logs. A block that was read
  again or dropped since counts as broken until `firn verify --evidence`, which looks at it again, and a run after it.
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
