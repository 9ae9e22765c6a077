/*
description: 'One row a blockchain of the network: those that P-Chain transactions created, those that the node lists, and P, X and C.'
kept: view
whole: true
files: { order: [blockchain_id] }
columns:
  blockchain_id: Blockchain (cb58).
  name: Name, such as C-Chain.
  alias: P, X or C; the blockchain id for others that are read; NULL for those that are not.
  chain_id: EVM chain id, where it is known.
  subnet_id: Subnet that validates it (cb58).
  vm_id: Virtual machine (cb58).
  created_height: Height of the P-Chain block that created it; NULL for genesis.
  created_at: Time of that block [UTC].
  genesis_bytes: Length of its genesis [bytes].
*/
WITH
  listed AS (
    SELECT blockchain_id, max(name) AS name, max(subnet_id) AS subnet_id, max(vm_id) AS vm_id
    FROM raw.node_platform_blockchains
    WHERE _valid_to IS NULL
    GROUP BY blockchain_id
  ),
  ids AS (
    SELECT blockchain_id FROM raw.node_containers_p_blockchains
    UNION
    SELECT blockchain_id FROM listed
    UNION
    SELECT blockchain_id FROM firn.chain WHERE blockchain_id IS NOT NULL
  )
SELECT
  i.blockchain_id,
  coalesce(b.chain_name, l.name, c.name) AS name,
  c.alias,
  CASE WHEN c.vm = 'evm' THEN c.chain_id END AS chain_id,
  coalesce(b.subnet_id, l.subnet_id, CASE WHEN c.alias IN ('P', 'X', 'C') THEN '11111111111111111111111111111111LpoYY' END) AS subnet_id,
  coalesce(b.vm_id, l.vm_id) AS vm_id,
  b.block_height AS created_height,
  b.block_timestamp AS created_at,
  octet_length(b.genesis_data) AS genesis_bytes
FROM ids AS i
LEFT JOIN raw.node_containers_p_blockchains AS b ON b.blockchain_id = i.blockchain_id
LEFT JOIN listed AS l ON l.blockchain_id = i.blockchain_id
LEFT JOIN firn.chain AS c ON c.blockchain_id = i.blockchain_id
