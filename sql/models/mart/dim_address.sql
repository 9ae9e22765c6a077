/*
description: One row an address of an EVM chain, and an owner of UTXOs on the P- and X-Chain, with when it was first seen and what it is.
traps: >-
  first_seen is exact to the hour on EVM chains. An address that only ever received may be a contract from genesis: its role is unknown. A
  contract that destroyed itself stays a contract.
kept: view
whole: true
files: { chain: chain_id, time: first_seen, order: [chain_id, address] }
columns:
  chain_id: EVM chain id, or blockchain id of the P- or X-Chain.
  address: 20 bytes in hex, lower case; bech32 without chain alias on the P- and X-Chain.
  role: contract, eoa (sent a transaction), zero, utxo_owner (P- and X-Chain), or unknown.
  label: What an address file of the configuration calls it.
  first_seen: 'First sight of any kind: sender, receiver, token transfer, trace, log, output [UTC].'
  first_sent: Hour of the first transaction it sent; NULL for contracts and UTXO owners [UTC].
  contract_since: First creation, log or call that shows that it is a contract [UTC].
*/
WITH
  seen AS (
    SELECT chain_id, address, by_transaction_or_token AS first_seen FROM mart.address_first_seen
    UNION ALL
    SELECT chain_id, address, by_multi_token FROM mart.address_first_seen
    UNION ALL
    SELECT chain_id, address, by_operator FROM mart.address_first_seen
    UNION ALL
    SELECT chain_id, address, by_trace FROM mart.address_first_seen
    UNION ALL
    SELECT chain_id, address, as_contract FROM mart.account_first_seen
  ),
  address AS (
    SELECT chain_id, address, date_trunc('hour', min(first_seen)) AS first_seen FROM seen GROUP BY chain_id, address
  ),
  owner AS (
    SELECT u.chain_id, o.address, min(u.created_time) AS first_seen
    FROM mart.fct_utxo AS u
    CROSS JOIN UNNEST(u.addresses) AS o (address)
    GROUP BY u.chain_id, o.address
  )
SELECT
  a.chain_id,
  a.address,
  CASE
    WHEN a.address = '0x0000000000000000000000000000000000000000' THEN 'zero'
    WHEN k.as_contract IS NOT NULL THEN 'contract'
    WHEN k.by_sending IS NOT NULL THEN 'eoa'
    ELSE 'unknown'
  END AS "role",
  l.label,
  a.first_seen,
  k.by_sending AS first_sent,
  k.as_contract AS contract_since
FROM address AS a
LEFT JOIN mart.account_first_seen AS k ON k.chain_id = a.chain_id AND k.address = a.address
LEFT JOIN firn.address_label AS l ON l.address = a.address
UNION ALL
SELECT o.chain_id, o.address, 'utxo_owner', l.label, o.first_seen, NULL, NULL
FROM owner AS o
LEFT JOIN firn.address_label AS l ON l.address = o.address
