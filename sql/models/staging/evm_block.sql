-- One row a block of every EVM chain, from the best source that has it: the node's JSON-RPC.
-- Traps: block 0 is genesis: it holds no transactions and may be years older than block 1.
-- Kept as: view
-- Columns:
--   chain_id: EVM chain id.
--   number: Height.
--   hash: Block hash.
--   parent_hash: Hash of the parent block.
--   block_time: Header seconds [UTC].
--   timestamp_milliseconds: Header time with milliseconds, where the header has it [ms].
--   gas_used: Gas of the header, without atomic transactions [gas].
--   gas_limit: Gas limit [gas].
--   base_fee_per_gas: Base fee [wei].
--   miner: Coinbase.
--   size: Size of the block [bytes].
--   ext_data_gas_used: Gas of the atomic transactions (C-Chain), outside gas_used [gas].
--   atomic_tx_count: Atomic transactions of the block (C-Chain), outside the EVM transactions.
--   source: Where the row is from.
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
  miner,
  size,
  ext_data_gas_used,
  -- From ApricotPhase5 on the extra data is a list: codec version (2 bytes), then its length (4 bytes).
  CASE WHEN length(block_extra_data) > 14 THEN CAST('0x' || substr(block_extra_data, 7, 8) AS BIGINT) ELSE 0 END AS atomic_tx_count,
  'node' AS source,
  _load_id
FROM raw.node_evm_blocks
WHERE near_blocks(chain_id, "number")
