/*
description: >-
  One row a token contract that emitted a transfer, or that the data service names, with its kind and what the data service says of it.
traps: >-
  erc_type follows from the transfers seen; a contract that emitted several kinds has the one seen first. Names and symbols are what the
  contract claims: anybody may call a token USDC.
kept: table
files: { order: [chain_id, address] }
columns:
  chain_id: EVM chain id, such as 43114.
  address: Contract of the token.
  erc_type: ERC-20, ERC-721 or ERC-1155.
  name: Name, such as USD Coin; NULL where no source gives it.
  symbol: Symbol, such as USDC; NULL where no source gives it.
  decimals: Decimals of an ERC-20, such as 6; NULL where no source gives them.
  first_transfer: First transfer seen; NULL where none is held [UTC].
  by_transfers: Whether a transfer of it is held.
*/
WITH
  told AS (
    SELECT chain_id, token_address AS address, token_erc_type AS erc_type, token_name AS name, token_symbol AS symbol, token_decimals AS decimals
    FROM raw.data_token_transfers
    UNION ALL
    SELECT chain_id, erc20_token_address, erc20_token_erc_type, erc20_token_name, erc20_token_symbol, erc20_token_decimals
    FROM raw.data_address_transactions_erc20_transfers
    UNION ALL
    SELECT chain_id, erc20_token_address, erc20_token_erc_type, erc20_token_name, erc20_token_symbol, erc20_token_decimals
    FROM raw.data_transaction_details_erc20_transfers
    UNION ALL
    SELECT chain_id, erc721_token_address, erc721_token_erc_type, erc721_token_name, erc721_token_symbol, NULL
    FROM raw.data_address_transactions_erc721_transfers
    UNION ALL
    SELECT chain_id, erc721_token_address, erc721_token_erc_type, erc721_token_name, erc721_token_symbol, NULL
    FROM raw.data_transaction_details_erc721_transfers
    UNION ALL
    SELECT chain_id, erc721_token_address, erc721_token_erc_type, erc721_token_name, erc721_token_symbol, NULL
    FROM raw.data_address_erc721_transfers
    UNION ALL
    SELECT chain_id, erc1155_token_address, erc1155_token_erc_type, erc1155_token_name, erc1155_token_symbol, NULL
    FROM raw.data_address_transactions_erc1155_transfers
    UNION ALL
    SELECT chain_id, erc1155_token_address, erc1155_token_erc_type, erc1155_token_name, erc1155_token_symbol, NULL
    FROM raw.data_transaction_details_erc1155_transfers
    UNION ALL
    SELECT chain_id, address, erc_type, name, symbol, NULL FROM raw.data_nft_tokens
    UNION ALL
    SELECT chain_id, contract_address, erc_type, name, symbol, NULL FROM raw.data_collectible_balances
  ),
  named AS (
    SELECT chain_id, address, max(erc_type) AS erc_type, max(name) AS name, max(symbol) AS symbol, max(decimals) AS decimals
    FROM told
    WHERE address IS NOT NULL
    GROUP BY chain_id, address
  )
SELECT
  coalesce(s.chain_id, n.chain_id) AS chain_id,
  coalesce(s.address, n.address) AS address,
  CASE s.as_any
    WHEN s.as_erc20 THEN 'ERC-20'
    WHEN s.as_erc721 THEN 'ERC-721'
    WHEN s.as_erc1155 THEN 'ERC-1155'
    ELSE n.erc_type
  END AS erc_type,
  n.name,
  n.symbol,
  n.decimals,
  s.as_any AS first_transfer,
  s.address IS NOT NULL AS by_transfers
FROM mart.token_first_seen AS s
FULL JOIN named AS n ON n.chain_id = s.chain_id AND n.address = s.address
