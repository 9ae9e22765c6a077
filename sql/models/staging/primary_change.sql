/*
description: >-
  Which load wrote which rows of a transaction of the Primary Network, and the UTXOs that they are about: what came since a load is what has
  to be built again.
kept: view
columns:
  tx_id: Transaction (cb58); of a reward UTXO the staking transaction. NULL for all of them, where another asset is known as AVAX now.
  utxo_id: UTXO that it makes or spends (cb58); NULL where the row is about none.
  _load_id: Load that wrote the row, or a block by which its time or outcome is known.
*/
WITH
  block AS NOT MATERIALIZED (
    SELECT height, _load_id FROM raw.node_containers_p_blocks WHERE "timestamp" IS NOT NULL
    UNION ALL
    -- The time of an Apricot block is that of blocks before it, one of which may come late.
    SELECT height, max(_load_id) OVER (ORDER BY height ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _load_id
    FROM raw.node_containers_p_blocks
    WHERE "timestamp" IS NULL
  ),
  -- As mart.dim_asset knows it, now and before.
  avax AS (
    SELECT
      max(_load_id) AS _load_id,
      count(CASE WHEN NOT in_new_loads(_load_id) THEN 1 END) AS times_before,
      row_number() OVER (ORDER BY sum(is_stake) DESC, count(*) DESC, asset_id ASC) AS place,
      row_number() OVER (
        ORDER BY sum(CASE WHEN in_new_loads(_load_id) THEN 0 ELSE is_stake END) DESC, count(CASE WHEN NOT in_new_loads(_load_id) THEN 1 END) DESC,
          asset_id ASC
      ) AS place_before
    FROM (
      SELECT asset_id, 0 AS is_stake, _load_id FROM raw.node_containers_p_outputs WHERE destination IS DISTINCT FROM 'stake'
      UNION ALL
      SELECT stake_asset_id, 1, _load_id
      FROM raw.node_containers_p_staking
      WHERE subnet_id = '11111111111111111111111111111111LpoYY' AND stake_asset_id IS NOT NULL
    )
    GROUP BY asset_id
  )
SELECT t.tx_id, CAST(NULL AS VARCHAR) AS utxo_id, b._load_id
FROM block AS b
JOIN raw.node_containers_p_transactions AS t ON t.block_height = b.height
UNION ALL
SELECT t.tx_id, NULL, b._load_id
FROM block AS b
JOIN raw.node_containers_p_transactions AS t ON t.block_height = b.height - 1
WHERE t.is_proposal
UNION ALL
SELECT tx_id, NULL, _load_id FROM raw.node_containers_p_transactions
UNION ALL
SELECT tx_id, NULL, _load_id FROM raw.node_containers_x_transactions
UNION ALL
SELECT tx_id, NULL, _load_id FROM raw.node_containers_c_atomic_transactions
UNION ALL
SELECT tx_id, NULL, _load_id FROM raw.node_containers_p_staking
UNION ALL
SELECT tx_id, NULL, _load_id FROM raw.node_containers_p_l1_validators
UNION ALL
SELECT tx_id, utxo_id, _load_id FROM raw.node_containers_p_inputs
UNION ALL
SELECT tx_id, utxo_id, _load_id FROM raw.node_containers_x_inputs
UNION ALL
SELECT tx_id, utxo_id, _load_id FROM raw.node_containers_c_inputs
UNION ALL
SELECT tx_id, utxo_id, _load_id FROM raw.node_containers_p_outputs
UNION ALL
SELECT tx_id, utxo_id, _load_id FROM raw.node_containers_x_outputs
UNION ALL
SELECT tx_id, utxo_id, _load_id FROM raw.node_containers_c_outputs
UNION ALL
SELECT tx_id, utxo_id, _load_id FROM raw.node_platform_reward_utxos
UNION ALL
SELECT NULL, NULL, _load_id FROM avax WHERE place = 1 AND (place_before > 1 OR times_before = 0)
