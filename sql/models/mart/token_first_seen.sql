/*
description: When each token contract first emitted a transfer of each kind.
kept: earliest by chain_id, address
files: { order: [chain_id, address] }
columns:
  chain_id: EVM chain id, such as 43114.
  address: Contract of the token.
  as_any: First transfer of any kind [UTC].
  as_erc20: First ERC-20 transfer [UTC].
  as_erc721: First ERC-721 transfer [UTC].
  as_erc1155: First ERC-1155 transfer [UTC].
*/
SELECT
  chain_id,
  token_address AS address,
  min(block_time) AS as_any,
  min(CASE WHEN erc_type = 'ERC-20' THEN block_time END) AS as_erc20,
  min(CASE WHEN erc_type = 'ERC-721' THEN block_time END) AS as_erc721,
  min(CASE WHEN erc_type = 'ERC-1155' THEN block_time END) AS as_erc1155
FROM mart.fct_token_transfer
WHERE seen_since(chain_id, block_time)
GROUP BY chain_id, token_address
