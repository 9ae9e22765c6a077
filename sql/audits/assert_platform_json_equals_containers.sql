/*
claim: Where both the containers and the platform API give a P-Chain block, they give the same one, with the same transactions.
protects: [raw.node_platform_blocks, raw.node_platform_transactions]
severity: warns
*/
SELECT b.height, b.block_id AS container_block_id, j.block_id AS platform_block_id, NULL AS container_tx_id, NULL AS platform_tx_id
FROM raw.node_containers_p_blocks AS b
JOIN raw.node_platform_blocks AS j ON j.height = b.height
WHERE (in_new_loads(b._load_id) OR in_new_loads(j._load_id))
  AND (b.block_id <> j.block_id OR b.parent_id <> j.parent_id OR b."timestamp" <> j."timestamp")
UNION ALL
SELECT coalesce(t.block_height, j.height), NULL, NULL, t.tx_id, j.tx_id
-- A transaction that one side lacks is new where that side's block is.
FROM (
  SELECT t.*, b._load_id AS json_load FROM raw.node_containers_p_transactions AS t JOIN raw.node_platform_blocks AS b ON b.height = t.block_height
) AS t
FULL JOIN (
  SELECT j.*, b._load_id AS container_load FROM raw.node_platform_transactions AS j JOIN raw.node_containers_p_blocks AS b ON b.height = j.height
) AS j ON j.height = t.block_height AND j."position" = t."position"
WHERE (in_new_loads(t._load_id) OR in_new_loads(t.json_load) OR in_new_loads(j._load_id) OR in_new_loads(j.container_load))
  AND (t.tx_id IS NULL OR j.height IS NULL OR t.tx_id <> j.tx_id OR t.tx_type <> j.tx_type)
