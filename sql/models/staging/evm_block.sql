/*
description: >-
  One row a block of every EVM chain, from the best source that has it: the node's JSON-RPC (node), then containers of the node's index
  decoded here (containers: no receipts, no traces), then, for a chain that neither knows, the transactions of the data service (data:
  only blocks with a transaction, no gas limit, no parent).
traps: 'block 0 is genesis: it holds no transactions and may be years older than block 1.'
kept: view
columns:
  chain_id: EVM chain id.
  number: Height.
  hash: Block hash.
  parent_hash: Hash of the parent block; NULL from the data service.
  block_time: Header seconds [UTC].
  timestamp_milliseconds: Header time with milliseconds, where the header has it [ms].
  gas_used: >-
    Gas of the header, without atomic transactions; of the data service the sum of its transactions, NULL where 64 bits do not hold it
    [gas].
  gas_limit: Gas limit [gas].
  base_fee_per_gas: Base fee; NULL where 38 digits do not hold it [wei].
  base_fee_per_gas_text: All digits of the base fee where base_fee_per_gas cannot hold them.
  miner: Coinbase.
  size: Size of the block [bytes].
  ext_data_gas_used: Gas of the atomic transactions (C-Chain), outside gas_used [gas].
  atomic_tx_count: Atomic transactions of the block (C-Chain), outside the EVM transactions.
  settled_later: >-
    Whether it is executed after it was accepted (C-Chain from Helicon on): gas_used is then the most that its transactions may use, and
    base_fee_per_gas the highest that they may pay.
  source: node, containers or data.
  _load_id: Load that wrote the row.
*/
SELECT
  chain_id,
  "number",
  hash,
  parent_hash,
  "timestamp" AS block_time,
  timestamp_milliseconds,
  gas_used,
  gas_limit,
  base_fee_per_gas,
  base_fee_per_gas_text,
  miner,
  size,
  ext_data_gas_used,
  -- From ApricotPhase5 on the extra data is a list: codec version (2 bytes), its length (4), then the type of the first transaction (4), which is
  -- 0 or 1, and the network's id (4). Before, it is one transaction: version, type, the network's id, then the C-Chain's blockchain id, which
  -- tells them apart on mainnet, whose own id is 1.
  CASE
    WHEN coalesce(length(block_extra_data), 0) <= 14 THEN 0
    WHEN substr(block_extra_data, 15, 8) NOT IN ('00000000', '00000001') OR substr(block_extra_data, 23, 8) = '0427d4b2' THEN 1
    ELSE word_count(lpad(substr(block_extra_data, 7, 8), 64, '0'))
  END AS atomic_tx_count,
  -- Only there a header names the block that it settles.
  settled_height IS NOT NULL AS settled_later,
  'node' AS source,
  _load_id
FROM raw.node_evm_blocks
WHERE near_blocks(chain_id, "number")
UNION ALL
SELECT
  c.chain_id,
  b."number",
  b.hash,
  b.parent_hash,
  b."timestamp" AS block_time,
  b.timestamp_milliseconds,
  b.gas_used,
  b.gas_limit,
  b.base_fee_per_gas,
  b.base_fee_per_gas_text,
  b.miner,
  b.size,
  b.ext_data_gas_used,
  b.atomic_transaction_count AS atomic_tx_count,
  b.settled_height IS NOT NULL AS settled_later,
  'containers' AS source,
  b._load_id
FROM raw.node_containers_c_blocks AS b
JOIN firn.chain AS c ON c.vm = 'evm' AND c.alias || '/block' = b.index_name
WHERE near_blocks(c.chain_id, b."number")
  AND NOT EXISTS (
    SELECT 1 FROM raw.node_evm_blocks AS n
    WHERE n.chain_id = c.chain_id AND n."number" = b."number" AND near_blocks(n.chain_id, n."number")
  )
UNION ALL
SELECT
  chain_id,
  block_number AS "number",
  min(block_hash) AS hash,
  NULL AS parent_hash,
  min(block_timestamp) AS block_time,
  min(block_timestamp_milliseconds) AS timestamp_milliseconds,
  TRY_CAST(sum(gas_used) AS BIGINT) AS gas_used,
  NULL AS gas_limit,
  NULL AS base_fee_per_gas,
  NULL AS base_fee_per_gas_text,
  NULL AS miner,
  NULL AS size,
  NULL AS ext_data_gas_used,
  0 AS atomic_tx_count,
  -- Gas is that of its transactions.
  false AS settled_later,
  'data' AS source,
  max(_load_id) AS _load_id
FROM raw.data_latest_transactions AS d
WHERE near_blocks(chain_id, block_number)
  AND NOT EXISTS (SELECT 1 FROM raw.node_evm_blocks AS n WHERE n.chain_id = d.chain_id)
  AND NOT EXISTS (
    SELECT 1 FROM firn.chain AS c JOIN raw.node_containers_c_blocks AS b ON b.index_name = c.alias || '/block'
    WHERE c.vm = 'evm' AND c.chain_id = d.chain_id
  )
GROUP BY chain_id, block_number
