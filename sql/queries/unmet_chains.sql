-- EVM chains of which blocks below others are still to be read, by their names in raw tables: two ways to read them began at different heights and have
-- not met yet, or a backfill was interrupted.
WITH unmet AS (
  SELECT b.chain_id FROM mart.fct_block AS b
  WHERE b.previous_time IS NULL AND b."number" > 1 AND b.source <> 'data'
    AND EXISTS (SELECT 1 FROM mart.fct_block AS below WHERE below.chain_id = b.chain_id AND below."number" BETWEEN 1 AND b."number" - 1)
    AND NOT EXISTS (SELECT 1 FROM mart.fct_block AS same WHERE same.chain_id = b.chain_id AND same.source = b.source AND same."number" BETWEEN 1 AND b."number" - 1)
    AND NOT EXISTS (SELECT 1 FROM firn.frozen AS z WHERE z.chain_id = b.chain_id AND b.block_time < z.until)
  UNION
  SELECT c.chain_id FROM firn.checkpoint AS k
  JOIN firn.chain AS c ON c.vm = 'evm'
    AND (k.stream = 'node/evm_blocks' AND k."partition" = 'chain_id=' || c.chain_id || '|backfill'
      OR k.stream = 'node/containers' AND k."partition" = 'index_name=' || c.alias || '/block|backfill')
)
SELECT chain_id AS name FROM unmet
UNION
SELECT c.alias || '/block' FROM unmet AS u JOIN firn.chain AS c ON c.chain_id = u.chain_id
ORDER BY name
