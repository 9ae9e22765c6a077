/*
description: One row a transaction of the P-Chain, the X-Chain, and an import or export of the C-Chain, out of the node's containers.
traps: >-
  what a P-Chain proposal asks for happens only where outcome is committed. X-Chain transactions from before the chain was linear have
  neither height nor time. An import that blocks of the C-Chain's first years hold again stands in its first block alone, though each of
  them credited the accounts: raw.node_containers_c_atomic_transactions has all.
kept: view
columns:
  blockchain: P, X or C.
  tx_id: Transaction id (cb58).
  tx_type: ImportTx, BaseTx, AddPermissionlessDelegatorTx, ...
  block_height: Height of the block.
  position: Place among the transactions of the container, from 0.
  block_time: Time of the block [UTC].
  outcome: accepted; of a proposal committed, aborted, or pending while the block after it is not held.
  decided_height: Height of the block that decided a proposal.
  source_chain_id: 'Of an import: where from (cb58).'
  destination_chain_id: 'Of an export: where to (cb58).'
  subnet_id: Subnet it is about (cb58).
  node_id: NodeID of the validator it is about.
  staking_tx_id: Staking transaction that it rewards (cb58).
  memo: Memo, hex; NULL where there is none.
  index_name: Index of the container.
  index: Place of the container in its index.
  _load_id: Load that wrote the row.
*/
SELECT
  'P' AS blockchain,
  t.tx_id,
  t.tx_type,
  t.block_height,
  t."position",
  b.block_time,
  CASE WHEN NOT t.is_proposal THEN 'accepted' ELSE coalesce(o.decision, 'pending') END AS outcome,
  CASE WHEN t.is_proposal THEN o.height END AS decided_height,
  t.source_chain_id,
  t.destination_chain_id,
  t.subnet_id,
  t.node_id,
  t.staking_tx_id,
  nullif(t.memo, '0x') AS memo,
  t.index_name,
  t."index",
  t._load_id
FROM raw.node_containers_p_transactions AS t
JOIN staging.primary_platform_block AS b ON b.height = t.block_height
LEFT JOIN staging.primary_platform_block AS o
  -- Conditions of the left side stand in a key: beside an equality, they make DuckDB compare every row with every row.
  ON o.height = CASE WHEN t.is_proposal THEN t.block_height + 1 END AND o.decision IS NOT NULL
WHERE in_transactions(t.tx_id)
UNION ALL
SELECT
  'X' AS blockchain,
  t.tx_id,
  t.tx_type,
  t.block_height,
  t."position",
  t.block_timestamp AS block_time,
  'accepted' AS outcome,
  NULL AS decided_height,
  t.source_chain_id,
  t.destination_chain_id,
  NULL AS subnet_id,
  NULL AS node_id,
  NULL AS staking_tx_id,
  nullif(t.memo, '0x') AS memo,
  t.index_name,
  t."index",
  t._load_id
FROM raw.node_containers_x_transactions AS t
-- A transaction from before the chain was linear stands in the index X/tx and in one or more vertices of X/vtx; X/tx of a node that goes on with
-- it has those of X/block, too. The first of them by name, and of vertices the first one, counts.
WHERE in_transactions(t.tx_id) AND (
  t.index_name = 'X/block'
  OR NOT EXISTS (
    SELECT 1 FROM raw.node_containers_x_transactions AS other
    WHERE other.tx_id = t.tx_id AND (other.index_name < t.index_name OR (other.index_name = t.index_name AND other."index" < t."index"))
  )
)
UNION ALL
SELECT
  'C' AS blockchain,
  t.tx_id,
  t.tx_type,
  t.block_height,
  t."position",
  t.block_timestamp AS block_time,
  'accepted' AS outcome,
  NULL AS decided_height,
  t.source_chain_id,
  t.destination_chain_id,
  NULL AS subnet_id,
  NULL AS node_id,
  NULL AS staking_tx_id,
  NULL AS memo,
  t.index_name,
  t."index",
  t._load_id
FROM raw.node_containers_c_atomic_transactions AS t
-- Some blocks of the C-Chain's first years hold transactions of earlier ones again: they spent and made their UTXOs in the first.
WHERE in_transactions(t.tx_id) AND NOT EXISTS (
  SELECT 1 FROM raw.node_containers_c_atomic_transactions AS other
  WHERE other.tx_id = t.tx_id AND other."index" < t."index"
)
