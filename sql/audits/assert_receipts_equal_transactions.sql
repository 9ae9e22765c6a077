-- Where a block has receipts, it has one for each transaction.
-- Protects: staging.evm_block
-- Severity: blocks
SELECT chain_id, "number", tx_count, receipt_count
FROM mart.fct_block
WHERE receipts_held AND receipt_count <> tx_count
