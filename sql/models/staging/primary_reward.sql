/*
description: 'One row a RewardValidatorTx: the end of a validator or delegator, and whether it was rewarded.'
traps: >-
  the block after the proposal decides: committed pays the reward, aborted does not, and the stake comes back either way. The platform API
  calls both Committed.
kept: view
columns:
  staking_tx_id: Transaction that added the validator or delegator (cb58).
  reward_tx_id: The RewardValidatorTx (cb58).
  ended_height: Height of the block that decided it.
  ended_at: Time of that block [UTC].
  rewarded: Whether the reward was paid.
  _load_id: Load that wrote the row.
*/
SELECT
  t.staking_tx_id,
  t.tx_id AS reward_tx_id,
  o.height AS ended_height,
  o.block_time AS ended_at,
  o.decision = 'committed' AS rewarded,
  o._load_id
FROM raw.node_containers_p_transactions AS t
JOIN staging.primary_platform_block AS o ON o.height = t.block_height + 1
WHERE t.tx_type = 'RewardValidatorTx' AND t.is_proposal AND o.decision IS NOT NULL AND in_transactions(t.tx_id)
