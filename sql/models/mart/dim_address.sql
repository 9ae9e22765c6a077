/*
description: >-
  One row an address of an EVM chain, and an owner of UTXOs of the P-Chain, the X-Chain or the C-Chain's shared memory, with when it was
  first seen and what it is.
traps: >-
  owners of UTXOs in the C-Chain's shared memory stand under its EVM chain id: leave out utxo_owner to count the addresses of an EVM chain.
  first_seen is exact to the hour on EVM chains. An address that only ever received may be a contract from genesis, and one whose calls were
  all undone a contract whose creation is not held: their role is unknown. A contract that destroyed itself stays a contract.
kept: view
whole: true
files: { chain: chain_id, time: first_seen, order: [chain_id, address] }
columns:
  chain_id: EVM chain id, or blockchain id of the P- or X-Chain.
  address: 20 bytes in hex, lower case; of a utxo_owner bech32 without chain alias.
  role: contract, eoa (sent a transaction), zero, utxo_owner, or unknown.
  label: What an address file of the configuration calls it.
  first_seen: 'First sight of any kind: sender, receiver, token transfer, trace, log, output [UTC].'
  first_sent: Hour of the first transaction it sent; NULL for contracts and UTXO owners [UTC].
  contract_since: First creation, log or call that shows that it is a contract [UTC].
*/
WITH
  seen AS (
    SELECT
      coalesce(s.chain_id, k.chain_id) AS chain_id,
      coalesce(s.address, k.address) AS address,
      -- What least makes of NULL differs from engine to engine.
      least(
        coalesce(s.by_transaction_or_token, TIMESTAMP '9999-12-31'),
        coalesce(s.by_multi_token, TIMESTAMP '9999-12-31'),
        coalesce(s.by_operator, TIMESTAMP '9999-12-31'),
        coalesce(s.by_trace, TIMESTAMP '9999-12-31'),
        coalesce(k.by_sending, TIMESTAMP '9999-12-31'),
        coalesce(k.as_contract, TIMESTAMP '9999-12-31')
      ) AS first_seen,
      k.by_sending,
      k.as_contract
    FROM mart.address_first_seen AS s
    FULL JOIN mart.account_first_seen AS k ON k.chain_id = s.chain_id AND k.address = s.address
  ),
  owner AS (
    SELECT u.chain_id, o.address, min(u.created_time) AS first_seen
    FROM mart.fct_utxo AS u
    CROSS JOIN UNNEST(u.addresses) AS o (address)
    GROUP BY u.chain_id, o.address
  )
SELECT
  s.chain_id,
  s.address,
  CASE
    WHEN s.address = '0x0000000000000000000000000000000000000000' THEN 'zero'
    WHEN s.as_contract IS NOT NULL THEN 'contract'
    WHEN s.by_sending IS NOT NULL THEN 'eoa'
    ELSE 'unknown'
  END AS "role",
  l.label,
  date_trunc('hour', s.first_seen) AS first_seen,
  s.by_sending AS first_sent,
  s.as_contract AS contract_since
FROM seen AS s
LEFT JOIN firn.address_label AS l ON l.address = s.address
UNION ALL
SELECT o.chain_id, o.address, 'utxo_owner', l.label, o.first_seen, NULL, NULL
FROM owner AS o
LEFT JOIN firn.address_label AS l ON l.address = o.address
