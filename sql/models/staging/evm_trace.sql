/*
description: One row a call frame of a traced transaction, in preorder.
traps: 'a missing trace is not an empty one: trace_status of the transaction tells. The value of a DELEGATECALL moves nothing.'
kept: view
columns:
  chain_id: EVM chain id.
  number: Height of the block.
  tx_index: Place of the transaction in the block, from 0.
  frame: Place of the frame in preorder, from 0 (the transaction itself).
  parent_frame: Frame that made this call; NULL for the outermost.
  depth: Depth, from 0.
  block_time: Block time [UTC].
  type: CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2, SELFDESTRUCT.
  from_address: Caller; for a create the creating account or contract.
  to_address: Callee, or the created contract.
  value: Native amount of the frame; NULL where 38 digits do not hold it [wei].
  value_text: All digits of the amount where value cannot hold them.
  gas_used: Gas used by the frame [gas].
  error: Error of the frame itself.
  reverted: 'Whether the frame or any frame around it failed: what it did was undone.'
  source: Where the row is from.
*/
SELECT
  f.chain_id,
  f."number",
  f.tx_index,
  f.frame,
  f.parent_frame,
  f.depth,
  b."timestamp" AS block_time,
  f."type",
  f.from_address,
  f.to_address,
  f."value",
  f.value_text,
  f.gas_used,
  f.error,
  f.reverted,
  'node' AS source
FROM raw.node_evm_traces AS f
JOIN raw.node_evm_blocks AS b ON b.chain_id = f.chain_id AND b."number" = f."number" AND near_blocks(b.chain_id, b."number")
WHERE in_blocks(f.chain_id, f."number")
