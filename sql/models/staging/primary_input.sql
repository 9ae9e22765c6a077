/*
description: >-
  One row an input of a transaction of the P-Chain or X-Chain, or of an import or export of the C-Chain: a UTXO that is spent, or an EVM
  account that is debited.
kept: view
columns:
  blockchain: 'Chain of the transaction: P, X or C.'
  tx_id: Transaction that spends (cb58).
  tx_type: Its type.
  block_height: Height of its block.
  block_time: Time of its block [UTC].
  input_index: Place in the transaction over all its lists of inputs, from 0.
  source: input, imported, operation, or evm (an account of the C-Chain).
  input_type: Type on the wire, such as TransferInput.
  utxo_id: UTXO that is spent (cb58); NULL for an EVM account.
  output_tx_id: Transaction that made the UTXO (cb58).
  output_index: Index of the UTXO in that transaction.
  source_chain_id: Chain that held what is spent (cb58).
  asset_id: Asset (cb58).
  amount: Amount; NULL in operations, which do not repeat it [smallest unit of the asset].
  stakeable_locktime: Unix seconds until when the UTXO might only be staked.
  evm_address: EVM account that is debited.
  _load_id: Load that wrote the row.
*/
WITH
  united AS (
    SELECT index_name, "index", tx_id, input_index, source, input_type, utxo_id, output_tx_id, output_index, source_chain_id, asset_id, amount, stakeable_locktime, evm_address, _load_id
    FROM raw.node_containers_p_inputs
    WHERE in_transactions(tx_id) AND in_utxos(utxo_id)
    UNION ALL
    SELECT index_name, "index", tx_id, input_index, source, input_type, utxo_id, output_tx_id, output_index, source_chain_id, asset_id, amount, stakeable_locktime, evm_address, _load_id
    FROM raw.node_containers_x_inputs
    WHERE in_transactions(tx_id) AND in_utxos(utxo_id)
    UNION ALL
    SELECT index_name, "index", tx_id, input_index, source, input_type, utxo_id, output_tx_id, output_index, source_chain_id, asset_id, amount, stakeable_locktime, evm_address, _load_id
    FROM raw.node_containers_c_inputs
    WHERE in_transactions(tx_id) AND in_utxos(utxo_id)
  )
SELECT
  t.blockchain,
  t.tx_id,
  t.tx_type,
  t.block_height,
  t.block_time,
  u.input_index,
  u.source,
  u.input_type,
  u.utxo_id,
  u.output_tx_id,
  u.output_index,
  u.source_chain_id,
  u.asset_id,
  u.amount,
  u.stakeable_locktime,
  u.evm_address,
  u._load_id
FROM united AS u
-- Which of several containers of one transaction counts, the transaction says.
JOIN staging.primary_transaction AS t ON t.index_name = u.index_name AND t."index" = u."index" AND t.tx_id = u.tx_id
