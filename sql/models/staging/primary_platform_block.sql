/*
description: One row a P-Chain block with its time and, for an option block, what it decided.
traps: >-
  a proposal counts only by the block after it: a commit or an abort. Apricot blocks carry no time: theirs is the chain time that the last
  committed AdvanceTimeTx before them set; NULL before the first one.
kept: view
columns:
  height: Height, such as 52.
  block_id: Id of the inner block (cb58).
  container_id: Id of the container (cb58).
  block_type: ApricotProposalBlock to BanffStandardBlock.
  block_time: Chain time of the block [UTC].
  decision: 'committed or aborted: what became of the proposal in the block before; NULL for other blocks.'
  _load_id: Load that wrote the row.
*/
WITH
  advance AS (
    SELECT t.block_height + 1 AS height, t.chain_time
    FROM raw.node_containers_p_transactions AS t
    JOIN raw.node_containers_p_blocks AS o ON o.height = t.block_height + 1 AND o.block_type IN ('ApricotCommitBlock', 'BanffCommitBlock')
    WHERE t.tx_type = 'AdvanceTimeTx'
  ),
  timed AS (
    SELECT
      b.height,
      b.block_id,
      b.container_id,
      b.block_type,
      b._load_id,
      max(a.chain_time) OVER (ORDER BY b.height ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS block_time
    FROM raw.node_containers_p_blocks AS b
    LEFT JOIN advance AS a ON a.height = b.height
    WHERE b."timestamp" IS NULL
      -- Of a few heights: none where no Apricot block is among them.
      AND b.height <= (SELECT max(height) FROM raw.node_containers_p_blocks WHERE "timestamp" IS NULL AND in_heights(height))
  ),
  united AS (
    SELECT height, block_id, container_id, block_type, "timestamp" AS block_time, _load_id
    FROM raw.node_containers_p_blocks
    WHERE "timestamp" IS NOT NULL AND in_heights(height)
    UNION ALL
    SELECT height, block_id, container_id, block_type, block_time, _load_id FROM timed WHERE in_heights(height)
  )
SELECT
  height,
  block_id,
  container_id,
  block_type,
  block_time,
  CASE
    WHEN block_type IN ('ApricotCommitBlock', 'BanffCommitBlock') THEN 'committed'
    WHEN block_type IN ('ApricotAbortBlock', 'BanffAbortBlock') THEN 'aborted'
  END AS decision,
  _load_id
FROM united
