-- Heights of a chain that is read from a node follow each other from the lowest held one on.
SELECT b.chain_id, b."number", 'block ' || CAST(b."number" - 1 AS VARCHAR) || ' is missing' AS problem
FROM mart.fct_block AS b
JOIN (SELECT chain_id, min("number") AS lowest FROM mart.fct_block GROUP BY chain_id) AS l ON l.chain_id = b.chain_id
WHERE b.source <> 'data' AND b.previous_time IS NULL AND b."number" > greatest(l.lowest, 1)
