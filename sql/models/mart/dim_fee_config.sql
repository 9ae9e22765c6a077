-- One row a fee configuration of an EVM L1 and the blocks for which it holds. Needs node/evm_fee_config_history.
-- To join blocks: number >= from_block AND (until_block IS NULL OR number < until_block).
-- Traps: a change of the fee manager holds from the end of the block that carries it: that block itself was made under the one before.
-- Kept as: view
-- Columns:
--   chain_id: EVM chain id.
--   from_block: Block that set it; 0 for the genesis.
--   until_block: Block that replaced it; NULL while it holds.
--   from_time: Time of from_block; NULL where the block is not held [UTC].
--   until_time: Time of until_block; NULL while it holds, or where the block is not held [UTC].
--   gas_limit: Gas limit of a block; NULL where 38 digits do not hold it, as of all numbers here (raw.node_evm_fee_config_history has their text) [gas].
--   target_block_rate: Seconds between blocks that the fees aim at [s].
--   min_base_fee: Lowest base fee [wei].
--   target_gas: Gas in ten seconds that the fees aim at [gas].
--   base_fee_change_denominator: How slowly the base fee moves.
--   min_block_gas_cost: Lowest block gas cost [gas].
--   max_block_gas_cost: Highest block gas cost [gas].
--   block_gas_cost_step: Step by which the block gas cost moves [gas].
WITH
  ranged AS (
    SELECT *, lead(from_block) OVER (PARTITION BY chain_id ORDER BY from_block) AS until_block
    FROM raw.node_evm_fee_config_history
  )
SELECT
  r.chain_id,
  r.from_block,
  r.until_block,
  b.block_time AS from_time,
  u.block_time AS until_time,
  r.fee_config_gas_limit AS gas_limit,
  r.fee_config_target_block_rate AS target_block_rate,
  r.fee_config_min_base_fee AS min_base_fee,
  r.fee_config_target_gas AS target_gas,
  r.fee_config_base_fee_change_denominator AS base_fee_change_denominator,
  r.fee_config_min_block_gas_cost AS min_block_gas_cost,
  r.fee_config_max_block_gas_cost AS max_block_gas_cost,
  r.fee_config_block_gas_cost_step AS block_gas_cost_step
FROM ranged AS r
LEFT JOIN staging.evm_block AS b ON b.chain_id = r.chain_id AND b."number" = r.from_block
LEFT JOIN staging.evm_block AS u ON u.chain_id = r.chain_id AND u."number" = r.until_block
