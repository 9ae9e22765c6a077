/*
description: >-
  One row a reward that was decided: of a validator or delegator at its end, of one that renews itself after every cycle.
traps: >-
  the block after the proposal decides: committed pays the reward, aborted does not, and the stake comes back either way, as what a validator
  has of its delegators' rewards. A validator that renews itself goes on after a cycle, unless its reward is aborted or it was told to end (a period of 0).
kept: view
columns:
  staking_tx_id: Transaction that added the validator or delegator (cb58).
  reward_tx_id: The RewardValidatorTx, or the RewardAutoRenewedValidatorTx of a cycle (cb58).
  utxo_tx_id: Transaction that the reward's UTXOs name (cb58), the staking or, of a cycle, the rewarding one.
  is_end: Whether the staking ended with it.
  ended_height: Height of the block that decided it.
  ended_at: Time of that block [UTC].
  rewarded: Whether the reward was paid.
  _load_id: Load that wrote the row.
*/
WITH
  -- What validators that renew themselves were told last before a cycle ended.
  told AS (
    SELECT
      t.tx_id,
      json_extract_string(c.details, '$.period') AS period,
      row_number() OVER (PARTITION BY t.tx_id ORDER BY c.block_height DESC, c."position" DESC) AS age
    FROM raw.node_containers_p_transactions AS t
    JOIN raw.node_containers_p_transactions AS c ON c.staking_tx_id = t.staking_tx_id AND c.tx_type = 'SetAutoRenewedValidatorConfigTx'
    WHERE t.tx_type = 'RewardAutoRenewedValidatorTx' AND in_transactions(t.tx_id)
      AND (c.block_height < t.block_height OR (c.block_height = t.block_height AND c."position" < t."position"))
  )
SELECT
  t.staking_tx_id,
  t.tx_id AS reward_tx_id,
  CASE WHEN t.tx_type = 'RewardValidatorTx' THEN t.staking_tx_id ELSE t.tx_id END AS utxo_tx_id,
  t.tx_type = 'RewardValidatorTx' OR o.decision = 'aborted' OR coalesce(c.period = '0', false) AS is_end,
  o.height AS ended_height,
  o.block_time AS ended_at,
  o.decision = 'committed' AS rewarded,
  o._load_id
FROM raw.node_containers_p_transactions AS t
JOIN staging.primary_platform_block AS o ON o.height = t.block_height + 1
LEFT JOIN told AS c ON c.tx_id = t.tx_id AND c.age = 1
WHERE t.tx_type IN ('RewardValidatorTx', 'RewardAutoRenewedValidatorTx') AND t.is_proposal AND o.decision IS NOT NULL AND in_transactions(t.tx_id)
