-- One row a height.
-- Protects: staging.evm_block
-- Severity: blocks
SELECT chain_id, "number", count(*) AS "rows"
FROM mart.fct_block
GROUP BY chain_id, "number"
HAVING count(*) > 1
