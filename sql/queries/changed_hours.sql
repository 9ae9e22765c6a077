-- Hours of the blocks in firn_changed, of those that follow them, and those in which they stood before, where raw rows are held. Blocks of the
-- data service all go once another source has a block of their chain: of such a chain their hours are to be built, too.
WITH changed AS (
  SELECT b.chain_id, b.block_time, b.source FROM staging.evm_block AS b
  JOIN firn_changed AS c ON b.chain_id = c.chain_id AND b."number" = c."number"
),
touched AS (
  SELECT chain_id, block_time FROM changed
  UNION ALL
  SELECT n.chain_id, n.block_time FROM staging.evm_block AS n
  JOIN firn_changed AS c ON n.chain_id = c.chain_id AND n."number" = c."number" + 1
  UNION ALL
  SELECT f.chain_id, f.block_time FROM mart.fct_block AS f
  JOIN firn_changed AS c ON f.chain_id = c.chain_id AND f."number" = c."number"
  UNION ALL
  SELECT f.chain_id, f.block_time FROM mart.fct_block AS f
  WHERE f.source = 'data' AND f.chain_id IN (SELECT chain_id FROM changed WHERE source <> 'data')
)
SELECT DISTINCT t.chain_id, date_trunc('hour', t.block_time) AS "hour" FROM touched AS t
LEFT JOIN firn.frozen AS frozen ON frozen.chain_id = t.chain_id
WHERE frozen.until IS NULL OR t.block_time >= frozen.until
