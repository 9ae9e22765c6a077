-- Where a block has receipts, their gas adds up to the header's.
-- Protects: staging.evm_block
-- Severity: blocks
SELECT chain_id, "number", gas_used, receipt_gas_used
FROM mart.fct_block
WHERE receipts_held AND receipt_gas_used <> gas_used
