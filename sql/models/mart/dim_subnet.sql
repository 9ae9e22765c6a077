/*
description: One row a subnet, the Primary Network included, as the P-Chain's transactions left it.
kept: view
whole: true
files: { order: [subnet_id] }
columns:
  subnet_id: Subnet (cb58), 11111111111111111111111111111111LpoYY for the Primary Network.
  kind: primary, permissioned, elastic (transformed), or l1 (converted).
  created_height: Height of the block that created it; NULL for the Primary Network.
  created_at: Time of that block [UTC].
  owner_addresses: Owner now, in bech32.
  owner_threshold: How many of these must sign.
  converted_at: When it became an L1 [UTC].
  manager_chain_id: Chain of the L1's validator manager (cb58).
  manager_address: Contract of the validator manager.
  asset_id: Asset staked in an elastic subnet (cb58).
  blockchains: Blockchains that it validates, by the containers held.
*/
WITH
  owned AS (
    SELECT
      subnet_id, owner_addresses, owner_threshold,
      row_number() OVER (PARTITION BY subnet_id ORDER BY "index" DESC, "position" DESC) AS from_end
    FROM raw.node_containers_p_subnets
    WHERE event IN ('created', 'transferred')
  ),
  summed AS (
    SELECT
      subnet_id,
      min(CASE WHEN event = 'created' THEN block_height END) AS created_height,
      min(CASE WHEN event = 'created' THEN block_timestamp END) AS created_at,
      max(CASE WHEN event = 'converted' THEN block_timestamp END) AS converted_at,
      max(CASE WHEN event = 'converted' THEN 1 ELSE 0 END) AS is_l1,
      max(CASE WHEN event = 'transformed' THEN 1 ELSE 0 END) AS is_elastic,
      max(manager_chain_id) AS manager_chain_id,
      max(manager_address) AS manager_address,
      max(asset_id) AS asset_id
    FROM raw.node_containers_p_subnets
    GROUP BY subnet_id
  ),
  chains AS (
    SELECT subnet_id, count(*) AS blockchains FROM raw.node_containers_p_blockchains GROUP BY subnet_id
  )
SELECT
  s.subnet_id,
  CASE WHEN s.is_l1 = 1 THEN 'l1' WHEN s.is_elastic = 1 THEN 'elastic' ELSE 'permissioned' END AS kind,
  s.created_height,
  s.created_at,
  o.owner_addresses,
  o.owner_threshold,
  s.converted_at,
  s.manager_chain_id,
  s.manager_address,
  s.asset_id,
  coalesce(c.blockchains, 0) AS blockchains
FROM summed AS s
LEFT JOIN owned AS o ON o.subnet_id = s.subnet_id AND o.from_end = 1
LEFT JOIN chains AS c ON c.subnet_id = s.subnet_id
UNION ALL
SELECT '11111111111111111111111111111111LpoYY', 'primary', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, count(*)
FROM firn.chain
WHERE alias IN ('P', 'X', 'C')
