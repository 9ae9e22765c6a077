/*
description: One row an asset of the X-Chain and the P-Chain.
traps: >-
  AVAX is made at genesis, which no container holds. It is known as what the Primary Network stakes; where no such staking is held, as the
  asset that most P-Chain outputs hold that are not staked, and where none is held (without the index P/block) not at all.
kept: view
whole: true
files: { order: [asset_id] }
columns:
  asset_id: Asset (cb58).
  name: Name, such as Avalanche; NULL where its creation is not held.
  symbol: Symbol, such as AVAX; NULL where its creation is not held.
  decimals: 'Decimals: 9 for AVAX on these chains; NULL where its creation is not held.'
  is_avax: Whether it is the network's own coin; NULL where no output of the P-Chain is held.
  created_tx_id: Transaction that created it (cb58); NULL for AVAX.
*/
WITH
  platform_asset AS (
    SELECT asset_id, row_number() OVER (ORDER BY sum(is_stake) DESC, count(*) DESC, asset_id ASC) AS place
    FROM (
      SELECT asset_id, 0 AS is_stake FROM raw.node_containers_p_outputs WHERE destination IS DISTINCT FROM 'stake'
      UNION ALL
      -- Elastic subnets stake assets of their own, more often perhaps.
      SELECT stake_asset_id, 1
      FROM raw.node_containers_p_staking
      WHERE subnet_id = '11111111111111111111111111111111LpoYY' AND stake_asset_id IS NOT NULL
    )
    GROUP BY asset_id
  ),
  -- One row: NULL where no output of the P-Chain is held.
  avax AS (SELECT min(asset_id) AS asset_id FROM platform_asset WHERE place = 1),
  seen AS (
    SELECT asset_id FROM raw.node_containers_p_outputs
    UNION
    SELECT asset_id FROM raw.node_containers_x_outputs
    UNION
    SELECT asset_id FROM raw.node_containers_c_outputs
  ),
  created AS (
    SELECT tx_id, min(asset_name) AS name, min(asset_symbol) AS symbol, min(asset_denomination) AS decimals
    FROM raw.node_containers_x_transactions
    WHERE tx_type = 'CreateAssetTx'
    GROUP BY tx_id
  )
SELECT
  s.asset_id,
  CASE WHEN s.asset_id = a.asset_id THEN 'Avalanche' ELSE c.name END AS name,
  CASE WHEN s.asset_id = a.asset_id THEN 'AVAX' ELSE c.symbol END AS symbol,
  CASE WHEN s.asset_id = a.asset_id THEN 9 ELSE c.decimals END AS decimals,
  s.asset_id = a.asset_id AS is_avax,
  c.tx_id AS created_tx_id
FROM seen AS s
CROSS JOIN avax AS a
LEFT JOIN created AS c ON c.tx_id = s.asset_id
