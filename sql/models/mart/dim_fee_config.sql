/*
description: >-
  One row a fee configuration of an EVM L1 and the blocks for which it holds. Needs node/evm_fee_config_history. To join blocks, which
  have the times: number > from_block AND (until_block IS NULL OR number <= until_block).
traps: 'a change of the fee manager holds from the end of the block that carries it: that block itself was made under the one before.'
kept: view
whole: true
files: { order: [chain_id, from_block] }
columns:
  chain_id: EVM chain id.
  from_block: Block that set it; 0 for the genesis.
  until_block: Block that replaced it; NULL while it holds.
  gas_limit: >-
    Gas limit of a block; NULL where 38 digits do not hold it, as of all numbers here (raw.node_evm_fee_config_history has their text)
    [gas].
  target_block_rate: Seconds between blocks that the fees aim at [s].
  min_base_fee: Lowest base fee [wei].
  target_gas: Gas in ten seconds that the fees aim at [gas].
  base_fee_change_denominator: How slowly the base fee moves.
  min_block_gas_cost: Lowest block gas cost [gas].
  max_block_gas_cost: Highest block gas cost [gas].
  block_gas_cost_step: Step by which the block gas cost moves [gas].
*/
SELECT
  chain_id,
  from_block,
  lead(from_block) OVER (PARTITION BY chain_id ORDER BY from_block ASC) AS until_block,
  fee_config_gas_limit AS gas_limit,
  fee_config_target_block_rate AS target_block_rate,
  fee_config_min_base_fee AS min_base_fee,
  fee_config_target_gas AS target_gas,
  fee_config_base_fee_change_denominator AS base_fee_change_denominator,
  fee_config_min_block_gas_cost AS min_block_gas_cost,
  fee_config_max_block_gas_cost AS max_block_gas_cost,
  fee_config_block_gas_cost_step AS block_gas_cost_step
FROM raw.node_evm_fee_config_history
