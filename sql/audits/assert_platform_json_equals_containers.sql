/*
claim: Where both the containers and the platform API give a P-Chain block, they give the same one, with the same transactions.
protects: [raw.node_platform_blocks, raw.node_platform_transactions]
severity: warns
*/
WITH
  block AS NOT MATERIALIZED (
    SELECT b.height, b.block_id AS container_block_id, j.block_id AS platform_block_id, b._load_id AS container_load, j._load_id AS platform_load
    FROM raw.node_containers_p_blocks AS b
    JOIN raw.node_platform_blocks AS j ON j.height = b.height
    WHERE b.block_id <> j.block_id OR b.parent_id <> j.parent_id OR b."timestamp" <> j."timestamp"
  ),
  -- A transaction that one side lacks is new where that side's block is.
  fresh AS (
    SELECT height FROM raw.node_containers_p_blocks WHERE in_new_loads(_load_id)
    UNION ALL
    SELECT height FROM raw.node_platform_blocks WHERE in_new_loads(_load_id)
    UNION ALL
    SELECT block_height FROM raw.node_containers_p_transactions WHERE in_new_loads(_load_id)
    UNION ALL
    SELECT height FROM raw.node_platform_transactions WHERE in_new_loads(_load_id)
  )
-- Either side for itself: together they would join all blocks there are.
SELECT height, container_block_id, platform_block_id, NULL AS container_tx_id, NULL AS platform_tx_id
FROM block
WHERE in_new_loads(container_load)
UNION ALL
SELECT height, container_block_id, platform_block_id, NULL, NULL
FROM block
WHERE in_new_loads(platform_load) AND NOT in_new_loads(container_load)
UNION ALL
SELECT coalesce(t.block_height, j.height), NULL, NULL, t.tx_id, j.tx_id
FROM (
  SELECT t.*, b._load_id AS json_load FROM raw.node_containers_p_transactions AS t JOIN raw.node_platform_blocks AS b ON b.height = t.block_height
  WHERE t.block_height IN (SELECT height FROM fresh)
) AS t
FULL JOIN (
  SELECT j.*, b._load_id AS container_load FROM raw.node_platform_transactions AS j JOIN raw.node_containers_p_blocks AS b ON b.height = j.height
  WHERE j.height IN (SELECT height FROM fresh)
) AS j ON j.height = t.block_height AND j."position" = t."position"
WHERE (in_new_loads(t._load_id) OR in_new_loads(t.json_load) OR in_new_loads(j._load_id) OR in_new_loads(j.container_load))
  AND (t.tx_id IS NULL OR j.height IS NULL OR t.tx_id <> j.tx_id OR t.tx_type <> j.tx_type)
