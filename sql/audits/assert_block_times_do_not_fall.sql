-- No block is older than its parent.
-- Protects: staging.evm_block
-- Severity: blocks
SELECT chain_id, "number", block_time, previous_time
FROM mart.fct_block
WHERE previous_time > block_time
