-- What was proven of blocks that are not held any more; of a chain whose old raw rows were dropped the tables hold them still.
DELETE FROM firn.evidence AS e
WHERE e.chain_id NOT IN (SELECT chain_id FROM firn.frozen)
  AND NOT EXISTS (SELECT 1 FROM staging.evm_block AS b WHERE b.chain_id = e.chain_id AND b."number" = e."number")
  AND NOT EXISTS (
    SELECT 1
    FROM firn.chain AS c
    JOIN (
      SELECT index_name, height FROM raw.node_containers_p_blocks
      UNION ALL
      SELECT index_name, height FROM raw.node_containers_x_blocks
    ) AS b ON b.index_name = c.alias || '/block'
    WHERE c.chain_id = e.chain_id AND b.height = e."number"
  )
