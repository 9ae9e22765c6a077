/*
claim: >-
  Heights of a chain that is read from a node follow each other, from the lowest one on that each way to read them gave (index and
  JSON-RPC may have begun at different heights, and not have met yet), but where it is known that some are missing (`firn.gap`) and no
  other source gives them, and where a backfill was interrupted: below what it has left to read. What was computed of rows that were
  dropped since is settled, with its holes.
protects:
  - raw.node_evm_blocks
  - raw.node_evm_transactions
  - raw.node_evm_receipts
  - raw.node_evm_logs
  - raw.node_evm_traces
  - raw.node_evm_trace_status
  - staging.evm_block
severity: blocks
*/
SELECT b.chain_id, b."number", 'block ' || CAST(b."number" - 1 AS VARCHAR) || ' is missing' AS problem
FROM mart.fct_block AS b
LEFT JOIN (
  SELECT c.chain_id, i."number", i.index_name, i."index"
  FROM raw.node_containers_c_blocks AS i
  JOIN firn.chain AS c ON i.index_name = c.alias || '/block'
) AS n ON n.chain_id = b.chain_id AND n."number" = b."number"
JOIN (SELECT chain_id, source, min("number") AS lowest FROM mart.fct_block GROUP BY chain_id, source) AS l ON l.chain_id = b.chain_id AND l.source = b.source
WHERE b.source <> 'data' AND b.previous_time IS NULL AND b."number" > l.lowest AND b."number" > 1
  AND NOT EXISTS (
    SELECT 1
    FROM firn.gap AS g
    WHERE g.stream = 'node/containers' AND g."partition" = 'index_name=' || n.index_name AND g.to_position = n."index" - 1
  )
  AND NOT EXISTS (
    SELECT 1
    FROM firn.gap AS g
    WHERE g.stream = 'node/evm_blocks' AND g."partition" = 'chain_id=' || b.chain_id AND g.to_position = b."number" - 1
  )
  AND NOT EXISTS (
    SELECT 1
    FROM firn.checkpoint AS k
    WHERE k.stream = 'node/evm_blocks' AND k."partition" = 'chain_id=' || b.chain_id || '|backfill'
      AND position_says(k."position", 'last', b."number" - 1)
  )
  AND NOT EXISTS (
    SELECT 1
    FROM firn.checkpoint AS k
    WHERE k.stream = 'node/containers' AND k."partition" = 'index_name=' || n.index_name || '|backfill'
      AND position_says(k."position", 'last', n."index" - 1)
  )
  AND NOT EXISTS (SELECT 1 FROM firn.frozen AS z WHERE z.chain_id = b.chain_id AND b.block_time < z.until)
