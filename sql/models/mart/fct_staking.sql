/*
description: >-
  One row a validator or delegator that a P-Chain transaction added, with how it went on, by the containers held. Validators and
  delegators that no container holds (those of genesis) come from the node's list of current ones.
traps: >-
  a staking ends when a RewardValidatorTx is decided, which may be a little later than end_time; a validator of a permissioned subnet ends
  at end_time by itself. Before Durango a staking begins at the start_time of its transaction, which is after the block's own time, from then
  on when it is accepted: from the first block on whose transactions only Durango allows, or whose container is of Granite. Rewards stand in no block: reward_amount needs the
  stream node/platform_reward_utxos. The validator's share of a delegation's reward counts with the delegation until Cortina, from then on with the
  validator, who gets it at its end, too where its own reward is aborted: rewarded is false then, and reward_amount more than 0.
  A validator that renews itself has no end_time, and weight is that of its first cycle: with restaked_amount it is that of the newest, and
  mart.fct_staking_cycle has all of them. Of one that only the node lists, weight is that of its newest cycle, and start_time of the first that was
  read. It ends with the cycle whose reward was aborted, or with which it was told to end; reward_amount is what all cycles paid out, and at the end
  what was staked again is paid out, too. One that only the node lists counts as ended, too, once nodeIds does not name its validator any more; so does a delegator once delegators is false.
kept: table
files: { time: added_at, order: [added_at, tx_id] }
columns:
  tx_id: Transaction that added it (cb58).
  tx_type: Its type, such as AddPermissionlessDelegatorTx; NULL where no container holds it.
  role: validator or delegator.
  node_id: NodeID of the validator.
  subnet_id: Subnet (cb58), 11111111111111111111111111111111LpoYY for the Primary Network.
  block_height: Height of the block that added it.
  added_at: Time of that block [UTC].
  start_time: Start of the staking [UTC].
  end_time: End of the staking as planned; NULL of a validator that renews itself [UTC].
  ended_height: Height of the block that ended it.
  ended_at: When it ended; NULL while it goes on [UTC].
  state: active, pending (begins later), ended, removed (by a RemoveSubnetValidatorTx), or rejected (its proposal was aborted).
  weight: Weight as it was added; nAVAX on the Primary Network.
  cycles: Cycles of a validator that renews itself, with the one that runs; NULL of others.
  restaked_amount: What it had staked again when its newest cycle began; NULL of others, and where nothing that was read tells it [nAVAX].
  stake_amount: Sum of the staked outputs; 0 on a permissioned subnet [smallest unit of the asset].
  stake_amount_avax: The same in whole coins; NULL for other assets than AVAX [AVAX].
  delegation_shares: Fee in millionths of the delegators' rewards, such as 20000 for 2 percent.
  reward_addresses: Owners of the reward, in bech32.
  rewarded: Whether its own reward was paid at its end; NULL while it goes on.
  reward_tx_id: RewardValidatorTx or RewardAutoRenewedValidatorTx that ended it (cb58).
  reward_amount: Sum of its reward UTXOs; NULL where none are held [smallest unit of the asset].
  reward_amount_avax: The same in whole coins; NULL for other assets than AVAX [AVAX].
  bls_public_key: BLS public key, of validators that registered one.
  source: containers or snapshot.
*/
WITH
  reward AS (SELECT tx_id, wide_sum(amount) AS amount FROM raw.node_platform_reward_utxos GROUP BY tx_id),
  cycle AS (
    SELECT
      staking_tx_id,
      count(*) AS cycles,
      min(start_time) AS start_time,
      -- That of the newest, where it is known: weights never fall.
      CASE WHEN max(CASE WHEN weight_covered THEN start_time END) = max(start_time) THEN max(weight) END AS weight
    FROM mart.fct_staking_cycle
    GROUP BY staking_tx_id
  ),
  -- By what was not allowed before: kinds of transactions, a start that is not later than the block, and containers of Granite.
  durango AS (
    SELECT min(block_height) AS height
    FROM (
      SELECT block_height FROM raw.node_containers_p_transactions
      WHERE tx_type IN (
        'BaseTx', 'TransferSubnetOwnershipTx', 'ConvertSubnetToL1Tx', 'RegisterL1ValidatorTx', 'SetL1ValidatorWeightTx', 'IncreaseL1ValidatorBalanceTx',
        'DisableL1ValidatorTx', 'AddAutoRenewedValidatorTx', 'SetAutoRenewedValidatorConfigTx', 'RewardAutoRenewedValidatorTx'
      )
      UNION ALL
      SELECT block_height FROM raw.node_containers_p_staking WHERE start_time <= block_timestamp
      UNION ALL
      SELECT height FROM raw.node_containers_p_blocks WHERE container_form = 'granite'
    )
  ),
  -- A validator of a permissioned subnet (no other can be removed) may be added again, even in the block that removed it: the next removal is
  -- its own.
  removal AS (
    SELECT s.tx_id, min(r.block_height) AS height, min(r.block_time) AS block_time
    FROM mart.fct_primary_transaction AS s
    JOIN mart.fct_primary_transaction AS r
      ON r.tx_type = 'RemoveSubnetValidatorTx' AND r.blockchain = 'P' AND r.subnet_id = s.subnet_id AND r.node_id = s.node_id
      AND (r.block_height > s.block_height OR (r.block_height = s.block_height AND r."position" > s."position"))
    WHERE s.tx_type = 'AddSubnetValidatorTx' AND s.blockchain = 'P'
    GROUP BY s.tx_id
  ),
  added AS (
    SELECT
      s.tx_id,
      s.tx_type,
      s."role",
      s.node_id,
      s.subnet_id,
      s.block_height,
      t.block_time AS added_at,
      CASE
        WHEN t.block_time IS NULL OR (s.start_time > t.block_time AND (d.height IS NULL OR s.block_height < d.height)) THEN s.start_time
        ELSE t.block_time
      END AS start_time,
      s.end_time,
      t.outcome,
      e.ended_height AS rewarded_height,
      e.ended_at AS rewarded_at,
      e.rewarded,
      e.reward_tx_id,
      m.height AS removed_height,
      m.block_time AS removed_at,
      n.block_time AS now_time,
      s.weight,
      y.cycles,
      CAST(y.weight - s.weight AS DECIMAL(38,0)) AS restaked_amount,
      s.stake_amount,
      s.delegation_shares,
      s.reward_addresses,
      w.amount AS reward_amount,
      s.bls_public_key
    FROM raw.node_containers_p_staking AS s
    JOIN mart.fct_primary_transaction AS t ON t.blockchain = 'P' AND t.tx_id = s.tx_id
    CROSS JOIN staging.primary_now AS n
    CROSS JOIN durango AS d
    LEFT JOIN staging.primary_reward AS e ON e.staking_tx_id = s.tx_id AND e.is_end
    LEFT JOIN removal AS m ON m.tx_id = s.tx_id
    LEFT JOIN reward AS w ON w.tx_id = s.tx_id
    LEFT JOIN cycle AS y ON y.staking_tx_id = s.tx_id
  ),
  judged AS (
    SELECT
      *,
      CASE
        WHEN outcome = 'aborted' THEN 'rejected'
        WHEN rewarded_at IS NOT NULL OR rewarded_height IS NOT NULL THEN 'ended'
        -- In the second of its end it is gone before anything else happens.
        WHEN removed_at < end_time THEN 'removed'
        WHEN tx_type = 'AddSubnetValidatorTx' AND end_time <= now_time THEN 'ended'
        WHEN outcome = 'pending' OR start_time > now_time THEN 'pending'
        ELSE 'active'
      END AS state
    FROM added
  ),
  -- What the node lists and no container holds: every validator and delegator in its newest version.
  listed AS (
    SELECT
      tx_id, 'validator' AS "role", node_id, subnet_id, start_time, end_time, weight,
      -- Percent, with all the digits that a millionth needs.
      CAST(delegation_fee * 10000 AS BIGINT) AS delegation_shares, validation_reward_owner_addresses AS reward_addresses,
      signer_public_key AS bls_public_key, _valid_to, row_number() OVER (PARTITION BY tx_id ORDER BY _valid_from DESC) AS age
    FROM raw.node_platform_validators
    WHERE tx_id IS NOT NULL
    UNION ALL
    SELECT
      tx_id, 'delegator', node_id, subnet_id, start_time, end_time, weight, NULL, reward_owner_addresses,
      NULL, _valid_to, row_number() OVER (PARTITION BY tx_id ORDER BY _valid_from DESC)
    FROM raw.node_platform_delegators
  )
SELECT
  tx_id,
  tx_type,
  "role",
  node_id,
  subnet_id,
  block_height,
  added_at,
  start_time,
  end_time,
  CASE state WHEN 'ended' THEN rewarded_height WHEN 'removed' THEN removed_height END AS ended_height,
  CASE state WHEN 'ended' THEN coalesce(rewarded_at, end_time) WHEN 'removed' THEN removed_at WHEN 'rejected' THEN added_at END AS ended_at,
  state,
  weight,
  cycles,
  restaked_amount,
  stake_amount,
  -- The Primary Network stakes and pays AVAX, which no other subnet may choose as its asset.
  CASE WHEN subnet_id = '11111111111111111111111111111111LpoYY' THEN navax_in_avax(stake_amount) END AS stake_amount_avax,
  delegation_shares,
  reward_addresses,
  rewarded,
  reward_tx_id,
  reward_amount,
  CASE WHEN subnet_id = '11111111111111111111111111111111LpoYY' THEN navax_in_avax(reward_amount) END AS reward_amount_avax,
  bls_public_key,
  'containers' AS source
FROM judged
UNION ALL
SELECT
  l.tx_id,
  NULL AS tx_type,
  l."role",
  l.node_id,
  l.subnet_id,
  NULL AS block_height,
  NULL AS added_at,
  coalesce(y.start_time, l.start_time) AS start_time,
  CASE WHEN y.cycles IS NULL THEN l.end_time END AS end_time,
  e.ended_height,
  e.ended_at,
  CASE WHEN e.staking_tx_id IS NOT NULL OR l._valid_to IS NOT NULL THEN 'ended' ELSE 'active' END AS state,
  l.weight,
  y.cycles,
  NULL AS restaked_amount,
  CAST(CASE WHEN l.subnet_id = '11111111111111111111111111111111LpoYY' THEN l.weight END AS DECIMAL(38,0)) AS stake_amount,
  CASE WHEN l.subnet_id = '11111111111111111111111111111111LpoYY' THEN navax_in_avax(CAST(l.weight AS DECIMAL(38,0))) END AS stake_amount_avax,
  l.delegation_shares,
  list_transform(l.reward_addresses, lambda a: regexp_replace(a, '^P-', '')) AS reward_addresses,
  e.rewarded,
  e.reward_tx_id,
  w.amount AS reward_amount,
  CASE WHEN l.subnet_id = '11111111111111111111111111111111LpoYY' THEN navax_in_avax(w.amount) END AS reward_amount_avax,
  l.bls_public_key,
  'snapshot' AS source
FROM listed AS l
LEFT JOIN raw.node_containers_p_staking AS s ON s.tx_id = l.tx_id
LEFT JOIN staging.primary_reward AS e ON e.staking_tx_id = l.tx_id AND e.is_end
LEFT JOIN reward AS w ON w.tx_id = l.tx_id
LEFT JOIN cycle AS y ON y.staking_tx_id = l.tx_id
WHERE l.age = 1 AND s.tx_id IS NULL
