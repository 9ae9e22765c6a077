-- Nothing that `firn verify --evidence` looked at breaks: signatures, ids, headers, transactions, receipts, gas, logs.
-- Protects: staging.evm_block
-- Severity: blocks
SELECT chain_id, "number", block_hash, broken
FROM firn.evidence
WHERE broken IS NOT NULL
