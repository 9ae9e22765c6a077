-- One row a height.
SELECT chain_id, "number", count(*) AS "rows"
FROM mart.fct_block
GROUP BY chain_id, "number"
HAVING count(*) > 1
