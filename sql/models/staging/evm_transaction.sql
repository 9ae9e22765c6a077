/*
description: One row a transaction of every EVM chain, failed ones included; atomic transactions of the C-Chain are no EVM transactions.
traps: '`from` and `to` are reserved words, hence from_address, to_address; to_address is NULL where a contract is created.'
kept: view
columns:
  chain_id: EVM chain id.
  number: Height of the block.
  tx_index: Place in the block, from 0.
  hash: Transaction hash.
  block_time: Block time [UTC].
  from_address: Sender; NULL where a container's signature gives none.
  to_address: Receiver; NULL for a contract creation, and of a container's transaction whose type is not known.
  type: 'Envelope type: 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702.'
  nonce: Nonce of the sender.
  value: Native amount sent; NULL where 38 digits do not hold it, as of all amounts here [wei].
  value_text: All digits of the amount where value cannot hold them.
  gas_limit: Gas limit [gas].
  gas_price: Gas price as the node tells it [wei].
  gas_price_text: All digits of the price where gas_price cannot hold them.
  max_fee_per_gas: Highest price per gas the sender agreed to; NULL for types 0 and 1 [wei].
  max_fee_per_gas_text: All digits of that price where max_fee_per_gas cannot hold them.
  max_priority_fee_per_gas: Highest tip per gas; NULL for types 0 and 1 [wei].
  max_priority_fee_per_gas_text: All digits of the tip where max_priority_fee_per_gas cannot hold them.
  input: Call data, hex.
  trace_status: traced, not_asked_for, not_offered or failed; NULL where nothing is known of a trace.
  source: node, containers or data.
*/
SELECT
  t.chain_id,
  t."number",
  t.tx_index,
  t.hash,
  b."timestamp" AS block_time,
  t.from_address,
  t.to_address,
  -- Nodes of before there were types do not name any.
  coalesce(t."type", 0) AS "type",
  t.nonce,
  t."value",
  t.value_text,
  t.gas_limit,
  t.gas_price,
  t.gas_price_text,
  t.max_fee_per_gas,
  t.max_fee_per_gas_text,
  t.max_priority_fee_per_gas,
  t.max_priority_fee_per_gas_text,
  t.input,
  s.trace_status,
  'node' AS source
FROM raw.node_evm_transactions AS t
JOIN raw.node_evm_blocks AS b ON b.chain_id = t.chain_id AND b."number" = t."number" AND near_blocks(b.chain_id, b."number")
LEFT JOIN raw.node_evm_trace_status AS s
  ON s.chain_id = t.chain_id AND s."number" = t."number" AND s.tx_index = t.tx_index AND in_blocks(s.chain_id, s."number")
WHERE in_blocks(t.chain_id, t."number")
UNION ALL
SELECT
  b.chain_id,
  b."number",
  t.tx_index,
  t.hash,
  b.block_time,
  t.from_address,
  t.to_address,
  t."type",
  t.nonce,
  t."value",
  t.value_text,
  t.gas_limit,
  t.gas_price,
  t.gas_price_text,
  t.max_fee_per_gas,
  t.max_fee_per_gas_text,
  t.max_priority_fee_per_gas,
  t.max_priority_fee_per_gas_text,
  t.input,
  NULL AS trace_status,
  b.source
FROM raw.node_containers_c_transactions AS t
JOIN firn.chain AS c ON c.vm = 'evm' AND c.alias || '/block' = t.index_name
JOIN staging.evm_block AS b ON b.chain_id = c.chain_id AND b."number" = t.block_number AND b.source = 'containers'
WHERE in_blocks(c.chain_id, t.block_number)
UNION ALL
SELECT
  t.chain_id,
  t.block_number AS "number",
  t.block_index AS tx_index,
  t.tx_hash AS hash,
  b.block_time,
  lower(t.from_address) AS from_address,
  lower(t.to_address) AS to_address,
  t.tx_type AS "type",
  t.nonce,
  t."value",
  t.value_text,
  t.gas_limit,
  t.gas_price,
  t.gas_price_text,
  NULL AS max_fee_per_gas,
  NULL AS max_fee_per_gas_text,
  NULL AS max_priority_fee_per_gas,
  NULL AS max_priority_fee_per_gas_text,
  NULL AS input,
  NULL AS trace_status,
  b.source
FROM raw.data_latest_transactions AS t
JOIN staging.evm_block AS b ON b.chain_id = t.chain_id AND b."number" = t.block_number AND b.source = 'data'
WHERE in_blocks(t.chain_id, t.block_number)
