/*
description: >-
  One row a UTXO that the P-Chain, the X-Chain or the C-Chain's shared memory holds or held, with what made it and what spent it.
traps: >-
  UTXOs of genesis stand in no container: one of them shows only when it is spent, with origin unknown and without its owners; those never
  spent are missing. Reward UTXOs stand in no block either: they come from platform.getRewardUTXOs (stream node/platform_reward_utxos).
  What is left of an L1 validator's balance comes back in a UTXO that shows only when it is spent, as those of genesis. Where containers are
  missing (`firn.gap`), what they made is missing too, and what they spent stays unspent. A staked output keeps its id: it exists from the
  staking on, and can be spent when the staking has ended.
kept: table
changed:
  # Lists, since DuckDB takes the keys of a subquery for many, and builds its join of what they are looked up in.
  utxo_id: |
    WITH
      changed AS MATERIALIZED (SELECT DISTINCT tx_id FROM staging.primary_change WHERE in_new_loads(_load_id)),
      -- The end of a staking changes what the staking made.
      touched AS (
        SELECT tx_id FROM changed
        UNION ALL
        SELECT staking_tx_id FROM raw.node_containers_p_transactions WHERE tx_id IN (SELECT unnest(list(tx_id)) FROM changed)
      )
    SELECT utxo_id FROM staging.primary_change WHERE utxo_id IS NOT NULL AND tx_id IN (SELECT unnest(list(tx_id)) FROM touched)
    UNION ALL
    SELECT NULL FROM changed WHERE tx_id IS NULL
  tx_id: |
    WITH own AS MATERIALIZED (SELECT tx_id FROM staging.primary_change WHERE utxo_id IS NOT NULL AND in_utxos(utxo_id))
    SELECT tx_id FROM own
    UNION ALL
    SELECT tx_id FROM raw.node_containers_p_transactions WHERE staking_tx_id IN (SELECT unnest(list(tx_id)) FROM own)
  block_height: SELECT unnest([block_height, block_height + 1]) AS block_height FROM raw.node_containers_p_transactions WHERE in_transactions(tx_id)
files: { chain: chain_id, time: created_time, order: [chain_id, created_height, created_by_tx_id, output_index] }
columns:
  utxo_id: 'UTXO id (cb58): hash of transaction and output index.'
  chain_id: 'Chain that holds it: blockchain id of P or X, EVM chain id of C.'
  blockchain: The same as P, X or C; another chain's id where it is none of these.
  created_on: 'Chain of the transaction that made it: P, X or C; NULL where it is not held.'
  created_by_tx_id: Transaction that made it (cb58).
  output_index: Index in that transaction.
  created_height: Height of the block that made it; for a reward, of the block that granted it.
  created_time: Time of that block [UTC].
  origin: output, exported, stake, initial_state, operation, reward, or unknown (genesis, or before the containers held).
  output_type: Type on the wire, such as TransferOutput or StakeableLockOut.
  asset_id: Asset (cb58).
  amount: Amount; NULL for NFTs, properties and minting rights [smallest unit of the asset].
  amount_avax: Amount of AVAX, such as 1.500000000000000000; NULL for other assets, and where AVAX is not known (mart.dim_asset) [AVAX].
  addresses: Owners in bech32 without chain alias; NULL where its origin is unknown.
  threshold: How many owners must sign.
  locktime: Unix seconds before which it cannot be spent; 0 for none.
  locked_until: The same as a moment; NULL for none [UTC].
  stakeable_locktime: Unix seconds until when it may only be staked; NULL for none.
  stakeable_until: The same as a moment; NULL for none [UTC].
  state: unspent, staked or spent.
  staking_ends: End of the staking as planned, of staked outputs; NULL of a validator that renews itself [UTC].
  consumed_on: 'Chain of the transaction that spent it: P, X or C.'
  consumed_by_tx_id: Transaction that spent it (cb58); NULL while unspent.
  consumed_height: Height of its block.
  consumed_time: Time of its block [UTC].
*/
WITH
  made AS (
    SELECT
      utxo_id, blockchain AS created_on, tx_id, output_index, block_height, block_time, destination AS origin, output_type,
      destination_chain_id AS holder_id, asset_id, amount, addresses, threshold, locktime, stakeable_locktime, outcome
    FROM staging.primary_output
    WHERE utxo_id IS NOT NULL
    UNION ALL
    SELECT
      r.utxo_id, 'P', r.output_tx_id, r.output_index, e.ended_height, e.ended_at, 'reward', r.output_type,
      '11111111111111111111111111111111LpoYY', r.asset_id, r.amount, r.addresses, r.threshold, r.locktime, NULL, 'accepted'
    FROM raw.node_platform_reward_utxos AS r
    LEFT JOIN staging.primary_reward AS e ON e.utxo_tx_id = r.output_tx_id
    WHERE in_utxos(r.utxo_id)
  ),
  spent AS (
    SELECT utxo_id, blockchain, tx_id, block_height, block_time, source, source_chain_id, asset_id, amount, stakeable_locktime, output_tx_id, output_index
    FROM staging.primary_input
    WHERE utxo_id IS NOT NULL
  ),
  known AS (
    SELECT
      coalesce(m.utxo_id, s.utxo_id) AS utxo_id,
      m.created_on,
      CASE WHEN m.utxo_id IS NULL THEN s.output_tx_id ELSE m.tx_id END AS tx_id,
      CASE WHEN m.utxo_id IS NULL THEN s.output_index ELSE m.output_index END AS output_index,
      m.block_height,
      m.block_time,
      coalesce(m.origin, 'unknown') AS origin,
      m.output_type,
      CASE
        WHEN m.utxo_id IS NOT NULL THEN m.holder_id
        -- What is imported was held by the importing chain, for which the source chain had set it aside.
        WHEN s.source = 'imported' THEN w.blockchain_id
        ELSE s.source_chain_id
      END AS holder_id,
      CASE WHEN m.utxo_id IS NULL THEN s.asset_id ELSE m.asset_id END AS asset_id,
      CASE WHEN m.utxo_id IS NULL THEN s.amount ELSE m.amount END AS amount,
      m.addresses,
      m.threshold,
      m.locktime,
      CASE WHEN m.utxo_id IS NULL THEN s.stakeable_locktime ELSE m.stakeable_locktime END AS stakeable_locktime,
      m.outcome,
      s.blockchain AS consumed_on,
      s.tx_id AS consumed_by_tx_id,
      s.block_height AS consumed_height,
      s.block_time AS consumed_time
    FROM made AS m
    FULL JOIN spent AS s ON s.utxo_id = m.utxo_id
    LEFT JOIN firn.chain AS w ON w.alias = s.blockchain
  )
SELECT
  k.utxo_id,
  coalesce(c.chain_id, k.holder_id) AS chain_id,
  coalesce(c.alias, k.holder_id) AS blockchain,
  k.created_on,
  k.tx_id AS created_by_tx_id,
  k.output_index,
  k.block_height AS created_height,
  k.block_time AS created_time,
  k.origin,
  k.output_type,
  k.asset_id,
  k.amount,
  CASE WHEN a.is_avax THEN navax_in_avax(k.amount) END AS amount_avax,
  k.addresses,
  k.threshold,
  k.locktime,
  unix_moment(k.locktime) AS locked_until,
  k.stakeable_locktime,
  unix_moment(k.stakeable_locktime) AS stakeable_until,
  CASE
    WHEN k.consumed_by_tx_id IS NOT NULL THEN 'spent'
    WHEN k.origin = 'stake' AND e.staking_tx_id IS NULL AND k.outcome <> 'aborted' THEN 'staked'
    ELSE 'unspent'
  END AS state,
  CASE WHEN k.origin = 'stake' THEN p.end_time END AS staking_ends,
  k.consumed_on,
  k.consumed_by_tx_id,
  k.consumed_height,
  k.consumed_time
FROM known AS k
LEFT JOIN staging.primary_reward AS e ON e.staking_tx_id = CASE WHEN k.origin = 'stake' THEN k.tx_id END AND e.is_end
LEFT JOIN raw.node_containers_p_staking AS p ON p.tx_id = CASE WHEN k.origin = 'stake' THEN k.tx_id END
LEFT JOIN firn.chain AS c ON c.blockchain_id = k.holder_id
LEFT JOIN mart.dim_asset AS a ON a.asset_id = k.asset_id
