/*
description: One row an asset of the X-Chain and the P-Chain.
traps: AVAX is made at genesis, which no container holds. It is known as the asset that most P-Chain outputs hold.
kept: view
whole: true
files: { order: [asset_id] }
columns:
  asset_id: Asset (cb58).
  name: Name, such as Avalanche; NULL where its creation is not held.
  symbol: Symbol, such as AVAX; NULL where its creation is not held.
  decimals: 'Decimals: 9 for AVAX on these chains; NULL where its creation is not held.'
  is_avax: Whether it is the network's own coin.
  created_tx_id: Transaction that created it (cb58); NULL for AVAX.
*/
WITH
  platform_asset AS (
    SELECT asset_id, row_number() OVER (ORDER BY count(*) DESC, asset_id) AS place
    FROM raw.node_containers_p_outputs
    GROUP BY asset_id
  ),
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
  CASE WHEN p.place = 1 THEN 'Avalanche' ELSE c.name END AS name,
  CASE WHEN p.place = 1 THEN 'AVAX' ELSE c.symbol END AS symbol,
  CASE WHEN p.place = 1 THEN 9 ELSE c.decimals END AS decimals,
  coalesce(p.place = 1, false) AS is_avax,
  c.tx_id AS created_tx_id
FROM seen AS s
LEFT JOIN platform_asset AS p ON p.asset_id = s.asset_id
LEFT JOIN created AS c ON c.tx_id = s.asset_id
