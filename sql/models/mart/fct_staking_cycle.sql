/*
description: >-
  One row a cycle of a validator that renews itself (ACP-236): from when until when, with which weight, what it earned, and what of that was
  staked again.
traps: >-
  what is staked again stands in no block. That a cycle ended does: the first weight and the times are by the containers held. Every other weight is
  by what was read beside them: the lists of the node (node/platform_validators) that were read while the cycle ran, and the cycles that the data
  service lists (data/validator_cycles). Where neither tells it, weight_covered is false and weight is that of the last cycle before of which one is
  known: a lower bound, since it never falls. Rewards by cycle come from the data service alone. Of one that no container and no list tells, the
  cycle begins with the one before it.
kept: table
files: { time: start_time, order: [start_time, staking_tx_id] }
columns:
  staking_tx_id: AddAutoRenewedValidatorTx that began the staking (cb58).
  node_id: NodeID of the validator.
  start_time: Start of the cycle [UTC].
  ended_at: End of the cycle; NULL while it goes on [UTC].
  outcome: renewed, exited (it was told that this is the last), or aborted (without reward); NULL while it goes on.
  reward_tx_id: RewardAutoRenewedValidatorTx that ended it (cb58).
  weight: Own weight in this cycle [nAVAX].
  weight_avax: The same in whole coins [AVAX].
  weight_covered: Whether something that was read tells this weight; false where it is a lower bound.
  reward_amount: What it earned, by validating and from delegations; NULL where the data service was not asked [nAVAX].
  reward_amount_avax: The same in whole coins [AVAX].
  restaked_amount: What of that was staked again; NULL while the cycle goes on, and where nothing tells it [nAVAX].
*/
WITH
  listed AS (
    SELECT
      staking_tx_hash,
      node_id,
      start_timestamp,
      end_timestamp,
      outcome,
      reward_tx_hash,
      CAST(weight_at_cycle_start AS DECIMAL(38,0)) AS weight,
      CAST(CAST(gross_validation_reward AS DECIMAL(38,0)) + gross_delegatee_reward AS DECIMAL(38,0)) AS reward_amount,
      CAST(CAST(compounded_validation_reward AS DECIMAL(38,0)) + compounded_delegatee_reward AS DECIMAL(38,0)) AS restaked_amount
    FROM raw.data_validator_cycles
  ),
  told AS (
    SELECT s.tx_id AS staking_tx_id, s.node_id, t.block_time AS start_time, CAST(s.weight AS DECIMAL(38,0)) AS weight, 'containers' AS source
    FROM raw.node_containers_p_staking AS s
    JOIN mart.fct_primary_transaction AS t ON t.blockchain = 'P' AND t.tx_id = s.tx_id
    WHERE s.tx_type = 'AddAutoRenewedValidatorTx'
    UNION ALL
    -- The block that ends a cycle begins the next one.
    SELECT staking_tx_id, NULL, ended_at, NULL, 'containers' FROM staging.primary_reward WHERE NOT is_end
    UNION ALL
    SELECT tx_id, node_id, start_time, CAST(weight AS DECIMAL(38,0)), 'node'
    FROM raw.node_platform_validators
    WHERE next_period IS NOT NULL AND tx_id IS NOT NULL
    UNION ALL
    SELECT staking_tx_hash, node_id, start_timestamp, weight, 'data' FROM listed
    UNION ALL
    SELECT staking_tx_hash, node_id, end_timestamp, CAST(weight + restaked_amount AS DECIMAL(38,0)), 'data' FROM listed WHERE outcome = 'renewed'
  ),
  begun AS (
    SELECT
      staking_tx_id,
      max(node_id) AS node_id,
      start_time,
      coalesce(
        max(CASE WHEN source = 'containers' THEN weight END), max(CASE WHEN source = 'node' THEN weight END), max(weight)
      ) AS weight
    FROM told
    GROUP BY staking_tx_id, start_time
  ),
  followed AS (
    SELECT
      staking_tx_id,
      max(node_id) OVER (PARTITION BY staking_tx_id) AS node_id,
      start_time,
      weight AS own_weight,
      max(weight) OVER (PARTITION BY staking_tx_id ORDER BY start_time ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS weight,
      lead(start_time) OVER (PARTITION BY staking_tx_id ORDER BY start_time ASC) AS next_start,
      lead(weight) OVER (PARTITION BY staking_tx_id ORDER BY start_time ASC) AS next_weight
    FROM begun
  ),
  placed AS (
    SELECT
      f.*,
      CASE WHEN f.next_start IS NULL AND e.ended_at > f.start_time THEN e.ended_at END AS end_time,
      e.rewarded
    FROM followed AS f
    LEFT JOIN staging.primary_reward AS e ON e.staking_tx_id = f.staking_tx_id AND e.is_end
  ),
  -- A cycle that was read while it ran, and again when it was settled, has two rows.
  settled AS (
    SELECT
      staking_tx_hash AS staking_tx_id,
      start_timestamp AS start_time,
      max(end_timestamp) AS ended_at,
      max(outcome) AS outcome,
      max(reward_tx_hash) AS reward_tx_id,
      max(reward_amount) AS reward_amount,
      max(restaked_amount) AS restaked_amount
    FROM listed
    WHERE outcome IS NOT NULL
    GROUP BY staking_tx_hash, start_timestamp
  )
SELECT
  f.staking_tx_id,
  f.node_id,
  f.start_time,
  coalesce(f.next_start, f.end_time, d.ended_at) AS ended_at,
  CASE
    WHEN f.next_start IS NOT NULL THEN 'renewed'
    WHEN f.end_time IS NOT NULL THEN CASE WHEN f.rewarded THEN 'exited' ELSE 'aborted' END
    ELSE d.outcome
  END AS outcome,
  coalesce(r.reward_tx_id, d.reward_tx_id) AS reward_tx_id,
  f.weight,
  navax_in_avax(f.weight) AS weight_avax,
  f.own_weight IS NOT NULL AS weight_covered,
  d.reward_amount,
  navax_in_avax(d.reward_amount) AS reward_amount_avax,
  CASE
    WHEN d.restaked_amount IS NOT NULL THEN d.restaked_amount
    WHEN f.next_start IS NOT NULL THEN CAST(f.next_weight - f.own_weight AS DECIMAL(38,0))
    WHEN f.end_time IS NOT NULL THEN CAST(0 AS DECIMAL(38,0))
  END AS restaked_amount
FROM placed AS f
LEFT JOIN staging.primary_reward AS r ON r.staking_tx_id = f.staking_tx_id AND r.ended_at = coalesce(f.next_start, f.end_time)
LEFT JOIN settled AS d ON d.staking_tx_id = f.staking_tx_id AND d.start_time = f.start_time
