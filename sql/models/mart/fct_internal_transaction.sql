/*
description: >-
  One row an internal transaction, out of call traces: a CALL or CALLCODE that carries a value above 0, and every CREATE, CREATE2 and
  CREATE3. The transaction itself is none. This is the rule of the data service's list.
traps: of a reverted row nothing remained. Without traces of a block there are no rows, which does not mean that there were none.
kept: table by block_time
files: { chain: chain_id, time: block_time, order: [chain_id, number, tx_index, position] }
columns:
  chain_id: EVM chain id, such as 43114.
  number: Height of the block.
  tx_index: Place of the transaction in the block, from 0.
  position: Place among the internal transactions of the transaction, from 0.
  frame: Place of the frame in the trace, from 0 (the transaction itself).
  depth: Depth of the frame, from 1.
  transaction_hash: Transaction hash, hex.
  block_time: Block time [UTC].
  type: CALL, CALLCODE, CREATE, CREATE2 or CREATE3.
  from_address: Caller, or creating contract.
  to_address: Callee, or created contract; NULL where a creation failed before it had one.
  value: Native amount; NULL where 38 digits do not hold it [wei].
  value_text: All digits of the amount where value cannot hold them.
  value_avax: The amount in whole coins [coins].
  gas_limit: Gas given to the frame [gas].
  gas_used: Gas used by the frame [gas].
  error: Error of the frame itself.
  reverted: Whether the frame or any frame around it failed.
*/
SELECT
  f.chain_id,
  f."number",
  f.tx_index,
  CAST(row_number() OVER (PARTITION BY f.chain_id, f."number", f.tx_index ORDER BY f.frame ASC) - 1 AS INTEGER) AS "position",
  f.frame,
  f.depth,
  t.hash AS transaction_hash,
  t.block_time,
  f."type",
  f.from_address,
  f.to_address,
  f."value",
  f.value_text,
  wei_in_coins(f."value") AS value_avax,
  f.gas AS gas_limit,
  f.gas_used,
  f.error,
  f.reverted
FROM raw.node_evm_traces AS f
JOIN staging.evm_transaction AS t ON t.chain_id = f.chain_id AND t."number" = f."number" AND t.tx_index = f.tx_index AND t.source = 'node'
WHERE in_blocks(f.chain_id, f."number")
  AND f.depth > 0
  AND (
    f."type" IN ('CALL', 'CALLCODE') AND (f."value" > 0 OR f.value_text IS NOT NULL)
    OR f."type" IN ('CREATE', 'CREATE2', 'CREATE3')
  )
