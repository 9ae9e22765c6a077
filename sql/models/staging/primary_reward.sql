/*
description: >-
  One row a RewardValidatorTx, which ends a validator or delegator, or a RewardAutoRenewedValidatorTx, which ends a cycle of an auto-renewed
  validator (from Helicon on), and whether it was rewarded.
traps: >-
  the block after the proposal decides: committed pays the reward, aborted does not, and the stake comes back either way. The platform API
  calls both Committed. An auto-renewed validator goes on with the next cycle if it is rewarded and nobody asked it to stop.
kept: view
columns:
  staking_tx_id: Transaction that added the validator or delegator (cb58).
  reward_tx_id: The RewardValidatorTx or RewardAutoRenewedValidatorTx (cb58).
  output_tx_id: Transaction that its reward UTXOs belong to, and platform.getRewardUTXOs knows them by (cb58).
  ended_height: Height of the block that decided it.
  ended_at: Time of that block [UTC].
  rewarded: Whether the reward was paid.
  ends_staking: Whether the stake comes back; no where a cycle is followed by the next one.
  _load_id: Load that wrote the row.
*/
WITH
  -- The last word before the end of a cycle: 0 seconds for the next one stop it.
  stopped AS (
    SELECT tx_id
    FROM (
      SELECT
        r.tx_id,
        json_extract_string(c.details, '$.period') AS next_period,
        row_number() OVER (PARTITION BY r.tx_id ORDER BY c.block_height DESC, c."position" DESC) AS place
      FROM raw.node_containers_p_transactions AS r
      JOIN raw.node_containers_p_transactions AS c ON c.staking_tx_id = r.staking_tx_id AND c.block_height <= r.block_height
      WHERE r.tx_type = 'RewardAutoRenewedValidatorTx' AND c.tx_type = 'SetAutoRenewedValidatorConfigTx' AND in_transactions(r.tx_id)
    )
    WHERE place = 1 AND next_period = '0'
  )
SELECT
  t.staking_tx_id,
  t.tx_id AS reward_tx_id,
  CASE t.tx_type WHEN 'RewardValidatorTx' THEN t.staking_tx_id ELSE t.tx_id END AS output_tx_id,
  o.height AS ended_height,
  o.block_time AS ended_at,
  o.decision = 'committed' AS rewarded,
  t.tx_type = 'RewardValidatorTx' OR o.decision = 'aborted' OR s.tx_id IS NOT NULL AS ends_staking,
  o._load_id
FROM raw.node_containers_p_transactions AS t
JOIN staging.primary_platform_block AS o ON o.height = t.block_height + 1
LEFT JOIN stopped AS s ON s.tx_id = t.tx_id
WHERE t.tx_type IN ('RewardValidatorTx', 'RewardAutoRenewedValidatorTx') AND t.is_proposal AND o.decision IS NOT NULL AND in_transactions(t.tx_id)
