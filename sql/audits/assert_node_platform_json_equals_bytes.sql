/*
claim: What the node says of a P-Chain block in JSON is what its bytes say, member by member.
protects: [raw.node_platform_blocks, raw.node_platform_transactions]
severity: warns
*/
SELECT height, block_id, difference
FROM raw.node_platform_blocks
WHERE in_new_loads(_load_id) AND difference IS NOT NULL
