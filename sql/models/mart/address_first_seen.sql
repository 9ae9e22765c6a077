/*
description: 'The hour in which each address was first seen, by kind of sight: the state that cumulativeAddresses carries on from.'
traps: 'never sum daily distinct counts: an address that comes back is not new.'
kept: earliest by chain_id, address
files: { order: [chain_id, address] }
columns:
  chain_id: EVM chain id.
  address: 20 bytes, lower case.
  by_transaction_or_token: In a transaction or an ERC-20 or ERC-721 transfer [UTC].
  by_multi_token: In the from or to of an ERC-1155 transfer [UTC].
  by_operator: As operator of an ERC-1155 transfer [UTC].
  by_trace: In a call frame [UTC].
*/
SELECT
  chain_id,
  address,
  min(CASE WHEN tx_from OR tx_to OR token_from OR token_to THEN "hour" END) AS by_transaction_or_token,
  min(CASE WHEN multi_token_from OR multi_token_to THEN "hour" END) AS by_multi_token,
  min(CASE WHEN multi_token_operator THEN "hour" END) AS by_operator,
  min(CASE WHEN trace_from OR trace_to THEN "hour" END) AS by_trace
FROM mart.address_hour
WHERE seen_since(chain_id, "hour")
GROUP BY chain_id, address
