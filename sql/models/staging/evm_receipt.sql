/*
description: One row a receipt.
traps: status is NULL before Byzantium; effective_gas_price is the price that was paid, not the price that was offered.
kept: view
columns:
  chain_id: EVM chain id.
  number: Height of the block.
  tx_index: Place of the transaction in the block, from 0.
  hash: Transaction hash.
  block_time: Block time [UTC].
  status: 1 success, 0 failed.
  gas_used: Gas used by the transaction [gas].
  cumulative_gas_used: Gas used in the block up to and with the transaction [gas].
  effective_gas_price: Price per gas that was paid; NULL where 38 digits do not hold it [wei].
  effective_gas_price_text: All digits of the price where effective_gas_price cannot hold them.
  contract_address: Contract created by the transaction itself; given also where it failed (status 0), and then there is none.
  source: Where the row is from.
*/
SELECT
  r.chain_id,
  r."number",
  r.tx_index,
  r.transaction_hash AS hash,
  b."timestamp" AS block_time,
  r.status,
  r.gas_used,
  r.cumulative_gas_used,
  -- A price that is not told is that of the transaction; one that is told as text is told.
  CASE WHEN r.effective_gas_price_text IS NULL THEN coalesce(r.effective_gas_price, t.gas_price) END AS effective_gas_price,
  coalesce(r.effective_gas_price_text, CASE WHEN r.effective_gas_price IS NULL THEN t.gas_price_text END) AS effective_gas_price_text,
  r.contract_address,
  'node' AS source
FROM raw.node_evm_receipts AS r
JOIN raw.node_evm_blocks AS b ON b.chain_id = r.chain_id AND b."number" = r."number" AND near_blocks(b.chain_id, b."number")
LEFT JOIN raw.node_evm_transactions AS t
  ON t.chain_id = r.chain_id AND t."number" = r."number" AND t.tx_index = r.tx_index AND in_blocks(t.chain_id, t."number")
WHERE in_blocks(r.chain_id, r."number")
