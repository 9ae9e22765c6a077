/*
description: One row a validator of an L1, by the P-Chain transactions that registered and changed it.
traps: >-
  the balance that pays its fees melts every second: balance_added is what came in, not what is left. A validator without balance keeps
  its weight, but takes no part. That a balance ran out stands in no block, and its state stays active here: raw.node_platform_validators
  has what was left when the L1's list was read last, raw.node_platform_validators_daily day by day, and raw.node_l1_validators whether it is active. Both lists keep what was (rows of now have no _valid_to).
kept: view
whole: true
files: { order: [validation_id] }
columns:
  validation_id: Validation (cb58).
  subnet_id: Subnet of the L1 (cb58).
  node_id: NodeID.
  origin: converted (with the subnet) or registered.
  registered_height: Height of the block.
  registered_at: Time of that block [UTC].
  weight: Weight now; 0 after it was removed.
  weight_changes: Weights set after the first.
  balance_added: What came in to pay its fees from [nAVAX].
  balance_added_avax: The same in whole coins [AVAX].
  disabled_at: When it was disabled last; NULL for never [UTC].
  removed_at: When its weight was set to 0 [UTC].
  state: active, inactive (no balance ever came in), disabled, or removed.
  bls_public_key: BLS public key.
  remaining_balance_addresses: Who gets the balance that is left, in bech32.
  deactivation_addresses: Who may disable it, in bech32.
*/
WITH
  placed AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY validation_id, event IN ('converted', 'registered', 'weight_set') ORDER BY "index" DESC, "position" DESC) AS from_end
    FROM raw.node_containers_p_l1_validators
  ),
  first_event AS (
    SELECT * FROM raw.node_containers_p_l1_validators WHERE event IN ('converted', 'registered')
  ),
  summed AS (
    SELECT
      validation_id,
      max(CASE WHEN event IN ('converted', 'registered', 'weight_set') AND from_end = 1 THEN weight END) AS weight,
      count(CASE WHEN event = 'weight_set' THEN 1 END) AS weight_changes,
      wide_sum(balance) AS balance_added,
      max(CASE WHEN event = 'disabled' THEN block_timestamp END) AS disabled_at,
      max(CASE WHEN event = 'disabled' AND from_end = 1 THEN 1 ELSE 0 END) AS is_disabled,
      max(CASE WHEN event = 'weight_set' AND weight = 0 THEN block_timestamp END) AS removed_at
    FROM placed
    GROUP BY validation_id
  )
SELECT
  f.validation_id,
  f.subnet_id,
  f.node_id,
  f.event AS origin,
  f.block_height AS registered_height,
  f.block_timestamp AS registered_at,
  s.weight,
  s.weight_changes,
  coalesce(s.balance_added, 0) AS balance_added,
  navax_in_avax(coalesce(s.balance_added, 0)) AS balance_added_avax,
  s.disabled_at,
  s.removed_at,
  CASE
    WHEN s.removed_at IS NOT NULL THEN 'removed'
    WHEN s.is_disabled = 1 THEN 'disabled'
    WHEN coalesce(s.balance_added, 0) = 0 THEN 'inactive'
    ELSE 'active'
  END AS state,
  f.bls_public_key,
  f.remaining_balance_addresses,
  f.deactivation_addresses
FROM first_event AS f
JOIN summed AS s ON s.validation_id = f.validation_id
