/*
claim: >-
  A reward is paid to the owners that the staking transaction names: of the reward, or of the delegation fees of the validator who takes a
  share. Of a delegation it is compared only where the containers hold that validator (those of genesis they do not).
protects: [raw.node_platform_reward_utxos]
severity: warns
*/
SELECT r.tx_id, r.utxo_id, r.amount, r.addresses, s.reward_addresses, s.delegation_reward_addresses
FROM raw.node_platform_reward_utxos AS r
JOIN raw.node_containers_p_staking AS s ON s.tx_id = r.tx_id
WHERE (in_new_loads(r._load_id) OR in_new_loads(s._load_id))
  AND coalesce(r.addresses <> s.reward_addresses, true)
  AND (
    s.role = 'validator'
    OR EXISTS (
      SELECT 1
      FROM raw.node_containers_p_staking AS v
      WHERE v.role = 'validator' AND v.node_id = s.node_id AND v.subnet_id = s.subnet_id AND v.block_height < s.block_height AND v.end_time >= s.end_time
    )
  )
  AND NOT EXISTS (
    SELECT 1
    FROM raw.node_containers_p_staking AS v
    WHERE v.node_id = s.node_id AND v.subnet_id = s.subnet_id AND r.addresses = v.delegation_reward_addresses
  )
