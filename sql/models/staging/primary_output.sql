/*
description: >-
  One row an output of a transaction of the P-Chain or X-Chain, or of an import or export of the C-Chain: a UTXO that is made, or an EVM
  account that is credited.
kept: view
columns:
  blockchain: 'Chain of the transaction: P, X or C.'
  tx_id: Transaction that pays (cb58).
  tx_type: Its type.
  outcome: accepted; of a proposal committed, aborted or pending.
  block_height: Height of its block.
  block_time: Time of its block [UTC].
  output_index: Index by which the UTXO is spent; of an EVM account its place in the list.
  destination: output, exported, stake, initial_state, operation, or evm (an account of the C-Chain).
  output_type: Type on the wire, such as TransferOutput.
  utxo_id: Id of the UTXO (cb58); NULL for an EVM account.
  destination_chain_id: Chain that holds the output (cb58).
  asset_id: Asset (cb58).
  amount: Amount; NULL for minting rights, NFTs and properties [smallest unit of the asset].
  locktime: Unix seconds before which it cannot be spent; 0 for none.
  stakeable_locktime: Unix seconds until when it may only be staked.
  threshold: How many of the addresses must sign.
  addresses: Owners in bech32, without a chain alias.
  evm_address: EVM account that is credited.
  _load_id: Load that wrote the row.
*/
WITH
  united AS (
    SELECT index_name, "index", tx_id, output_index, destination, output_type, utxo_id, destination_chain_id, asset_id, amount, locktime, stakeable_locktime, threshold, addresses, evm_address, _load_id
    FROM raw.node_containers_p_outputs
    WHERE in_transactions(tx_id) AND in_utxos(utxo_id)
    UNION ALL
    SELECT index_name, "index", tx_id, output_index, destination, output_type, utxo_id, destination_chain_id, asset_id, amount, locktime, stakeable_locktime, threshold, addresses, evm_address, _load_id
    FROM raw.node_containers_x_outputs
    WHERE in_transactions(tx_id) AND in_utxos(utxo_id)
    UNION ALL
    SELECT index_name, "index", tx_id, output_index, destination, output_type, utxo_id, destination_chain_id, asset_id, amount, locktime, stakeable_locktime, threshold, addresses, evm_address, _load_id
    FROM raw.node_containers_c_outputs
    WHERE in_transactions(tx_id) AND in_utxos(utxo_id)
  )
SELECT
  t.blockchain,
  t.tx_id,
  t.tx_type,
  t.outcome,
  t.block_height,
  t.block_time,
  u.output_index,
  u.destination,
  u.output_type,
  u.utxo_id,
  u.destination_chain_id,
  u.asset_id,
  u.amount,
  u.locktime,
  u.stakeable_locktime,
  u.threshold,
  u.addresses,
  u.evm_address,
  u._load_id
FROM united AS u
-- Which of several containers of one transaction counts, the transaction says.
JOIN staging.primary_transaction AS t ON t.index_name = u.index_name AND t."index" = u."index" AND t.tx_id = u.tx_id
