/*
description: 'One row a chain that is read, or that the node or the data service names: what chain_id stands for in every other table.'
kept: view
whole: true
files: { order: [chain_id] }
columns:
  chain_id: EVM chain id, such as 43114; blockchain id of the P- and X-Chain.
  name: Name, such as Avalanche (C-Chain).
  alias: P, X or C; the blockchain id for others that are read; NULL for those that are not.
  vm: platform, avm or evm.
  blockchain_id: Blockchain (cb58).
  subnet_id: Subnet that validates it (cb58); NULL where it is not known.
  genesis_hash: Hash of block 0 of an EVM chain; NULL for chains that are not read.
  coin_name: Name of the native coin.
  coin_symbol: Symbol of the native coin, such as AVAX.
  coin_decimals: 'Decimals of the native coin: 18 on EVM chains, 9 on P and X.'
  first_block: Lowest height held, genesis left out.
  last_block: Highest height held.
  last_block_time: Its time [UTC].
  by_data_service: Whether the data service lists it.
*/
WITH
  told AS (
    SELECT
      chain_id, max(chain_name) AS name, max(platform_chain_id) AS blockchain_id, max(subnet_id) AS subnet_id,
      max(network_token_name) AS coin_name, max(network_token_symbol) AS coin_symbol, max(network_token_decimals) AS coin_decimals
    FROM raw.data_chains
    WHERE _valid_to IS NULL
    GROUP BY chain_id
  ),
  held AS (
    SELECT chain_id, min(first_block) AS first_block, max(last_block) AS last_block, max(last_block_time) AS last_block_time
    FROM mart.chain_bucket
    WHERE time_interval = 'day'
    GROUP BY chain_id
    UNION ALL
    SELECT '11111111111111111111111111111111LpoYY', min(height), max(height), max(block_time) FROM staging.primary_platform_block HAVING count(*) > 0
    UNION ALL
    SELECT c.chain_id, min(b.height), max(b.height), max(b."timestamp")
    FROM raw.node_containers_x_blocks AS b
    JOIN firn.chain AS c ON c.alias = 'X'
    GROUP BY c.chain_id
  ),
  ids AS (
    SELECT chain_id FROM firn.chain
    UNION
    SELECT chain_id FROM told
    UNION
    SELECT chain_id FROM held
  )
SELECT
  i.chain_id,
  coalesce(t.name, b.chain_name, c.name) AS name,
  c.alias,
  coalesce(c.vm, 'evm') AS vm,
  coalesce(c.blockchain_id, t.blockchain_id) AS blockchain_id,
  coalesce(b.subnet_id, t.subnet_id, CASE WHEN c.alias IN ('P', 'X', 'C') THEN '11111111111111111111111111111111LpoYY' END) AS subnet_id,
  c.genesis_hash,
  coalesce(t.coin_name, CASE WHEN c.alias IN ('P', 'X', 'C') THEN 'Avalanche' END) AS coin_name,
  coalesce(t.coin_symbol, CASE WHEN c.alias IN ('P', 'X', 'C') THEN 'AVAX' END) AS coin_symbol,
  coalesce(t.coin_decimals, CASE WHEN c.vm IN ('platform', 'avm') THEN 9 ELSE 18 END) AS coin_decimals,
  h.first_block,
  h.last_block,
  h.last_block_time,
  t.chain_id IS NOT NULL AS by_data_service
FROM ids AS i
LEFT JOIN firn.chain AS c ON c.chain_id = i.chain_id
LEFT JOIN told AS t ON t.chain_id = i.chain_id
LEFT JOIN held AS h ON h.chain_id = i.chain_id
LEFT JOIN raw.node_containers_p_blockchains AS b ON b.blockchain_id = coalesce(c.blockchain_id, t.blockchain_id)
