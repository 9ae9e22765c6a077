/*
description: Token transfers with the token's symbol, and their amounts in whole tokens where the decimals are known.
traps: 'amount_approximate is cut after 18 decimals, and is NULL where 38 digits do not hold it: add up amounts, never these.'
kept: view by block_time
files: { chain: chain_id, time: block_time, order: [chain_id, number, log_index, position] }
columns:
  chain_id: EVM chain id, such as 43114.
  number: Height of the block.
  log_index: Place of the log in the block, from 0.
  position: Place among the transfers of the log, from 0.
  transaction_hash: Transaction hash, hex.
  block_time: Block time [UTC].
  token_address: Contract of the token.
  erc_type: ERC-20, ERC-721 or ERC-1155.
  symbol: Symbol, such as USDC, as the contract claims it.
  decimals: Decimals of an ERC-20.
  kind: mint, burn or transfer.
  from_address: Sender.
  to_address: Receiver.
  token_id: Token id (ERC-721, ERC-1155); NULL where 38 digits do not hold it.
  amount: Amount; NULL where 38 digits do not hold it [smallest unit of the token].
  amount_text: All digits of the amount where amount cannot hold them.
  amount_approximate: ERC-20 amount in whole tokens, such as 12.500000000000000000 [tokens].
*/
SELECT
  f.chain_id,
  f."number",
  f.log_index,
  f."position",
  f.transaction_hash,
  f.block_time,
  f.token_address,
  f.erc_type,
  t.symbol,
  t.decimals,
  CASE
    WHEN f.from_address = '0x0000000000000000000000000000000000000000' THEN 'mint'
    WHEN f.to_address = '0x0000000000000000000000000000000000000000' THEN 'burn'
    ELSE 'transfer'
  END AS kind,
  f.from_address,
  f.to_address,
  f.token_id,
  f.amount,
  f.amount_text,
  CASE WHEN f.erc_type = 'ERC-20' THEN amount_in_tokens(f.amount, t.decimals) END AS amount_approximate
FROM mart.fct_token_transfer AS f
LEFT JOIN mart.dim_token AS t ON t.chain_id = f.chain_id AND t.address = f.token_address
