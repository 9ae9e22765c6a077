/*
description: One row an EVM transaction with what its receipt says, failed ones included.
traps: >-
  a failed transaction pays its fee but moves no value, and there is no contract at its contract_address (succeeded is false). Atomic imports and exports of the C-Chain are in fct_primary_transaction. The
  columns named _avax are in whole native coins: AVAX on the C-Chain, the chain's own coin on an L1 (dim_chain names it).
kept: table by block_time
files: { chain: chain_id, time: block_time, order: [chain_id, number, tx_index] }
columns:
  chain_id: EVM chain id, such as 43114.
  number: Height of the block.
  tx_index: Place in the block, from 0.
  hash: Transaction hash, hex.
  block_time: Block time [UTC].
  from_address: Sender; NULL where a container's signature gives none.
  to_address: Receiver; NULL for a contract creation, and of a container's transaction whose type is not known.
  contract_address: Contract created by the transaction itself; given also where it failed, and then there is none.
  type: 'Envelope type: 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702.'
  nonce: Nonce of the sender.
  succeeded: Whether the receipt says success; NULL without a receipt, and before Byzantium.
  value: Native amount sent, such as 1000000000000000000; NULL where 38 digits do not hold it, as of all amounts here [wei].
  value_text: All digits of the amount where value cannot hold them.
  value_avax: The same in whole coins, such as 1.000000000000000000 [coins].
  gas_limit: Gas limit [gas].
  gas_used: Gas used; NULL without a receipt [gas].
  effective_gas_price: Price per gas that was paid [wei].
  effective_gas_price_text: All digits of the price where effective_gas_price cannot hold them.
  max_fee_per_gas: Highest price per gas the sender agreed to; NULL for types 0 and 1 [wei].
  max_fee_per_gas_text: All digits of that price where max_fee_per_gas cannot hold them.
  max_priority_fee_per_gas: Highest tip per gas; NULL for types 0 and 1 [wei].
  max_priority_fee_per_gas_text: All digits of the tip where max_priority_fee_per_gas cannot hold them.
  fee_paid: Gas used times effective gas price; NULL without a receipt, and where fee_overflows [wei].
  fee_overflows: Whether the fee has more than 38 digits.
  fee_paid_avax: The same in whole coins [coins].
  method_id: First four bytes of the call data, such as 0xa9059cbb; NULL where there are fewer or a contract is created.
  input_bytes: Length of the call data or init code; NULL where it is not held [bytes].
  trace_status: traced, not_asked_for, not_offered or failed; NULL where nothing is known of a trace.
  source: node, containers or data.
*/
SELECT
  t.chain_id,
  t."number",
  t.tx_index,
  t.hash,
  t.block_time,
  t.from_address,
  t.to_address,
  r.contract_address,
  t."type",
  t.nonce,
  r.status = 1 AS succeeded,
  t."value",
  t.value_text,
  wei_in_coins(t."value") AS value_avax,
  t.gas_limit,
  r.gas_used,
  r.effective_gas_price,
  r.effective_gas_price_text,
  t.max_fee_per_gas,
  t.max_fee_per_gas_text,
  t.max_priority_fee_per_gas,
  t.max_priority_fee_per_gas_text,
  amount_product(r.gas_used, r.effective_gas_price) AS fee_paid,
  r.effective_gas_price_text IS NOT NULL AND r.gas_used > 0
    OR r.effective_gas_price IS NOT NULL AND amount_product(r.gas_used, r.effective_gas_price) IS NULL AS fee_overflows,
  wei_in_coins(amount_product(r.gas_used, r.effective_gas_price)) AS fee_paid_avax,
  CASE WHEN t.to_address IS NOT NULL AND length(t.input) >= 10 THEN left(t.input, 10) END AS method_id,
  CAST((length(t.input) - 2) * 0.5 AS BIGINT) AS input_bytes,
  t.trace_status,
  t.source
FROM staging.evm_transaction AS t
LEFT JOIN staging.evm_receipt AS r ON r.chain_id = t.chain_id AND r."number" = t."number" AND r.tx_index = t.tx_index
