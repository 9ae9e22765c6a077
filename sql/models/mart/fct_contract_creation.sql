/*
description: >-
  One row a contract creation: every CREATE, CREATE2 or CREATE3 frame of a trace, failed ones included. Where a transaction has no trace,
  the creation it makes itself stands here alone (by_trace false): creations inside it are unknown.
traps: the creator of a nested creation is the creating contract, not the sender of the transaction.
kept: table by block_time
files: { chain: chain_id, time: block_time, order: [chain_id, number, tx_index, frame] }
columns:
  chain_id: EVM chain id.
  number: Height of the block.
  tx_index: Place of the transaction in the block, from 0.
  frame: Place of the frame in its trace, from 0.
  block_time: Block time [UTC].
  type: CREATE, CREATE2 or CREATE3.
  creator: Account or contract that creates.
  contract_address: Created contract; NULL where it failed before it had one.
  by_trace: Whether a trace tells it.
  own_error: Whether the creation itself failed.
  reverted: Whether it or any frame around it failed.
  tx_failed: Whether the whole transaction failed.
  outermost: Whether the transaction itself is the creation, which its receipt tells too.
*/
SELECT
  f.chain_id,
  f."number",
  f.tx_index,
  f.frame,
  f.block_time,
  f."type",
  f.from_address AS creator,
  f.to_address AS contract_address,
  true AS by_trace,
  f.error IS NOT NULL AS own_error,
  f.reverted,
  coalesce(r.status = 0, false) AS tx_failed,
  f.depth = 0 AS outermost
FROM staging.evm_trace AS f
LEFT JOIN staging.evm_receipt AS r ON r.chain_id = f.chain_id AND r."number" = f."number" AND r.tx_index = f.tx_index
WHERE f."type" IN ('CREATE', 'CREATE2', 'CREATE3')
UNION ALL
SELECT
  t.chain_id,
  t."number",
  t.tx_index,
  0 AS frame,
  t.block_time,
  'CREATE' AS "type",
  t.from_address AS creator,
  r.contract_address,
  false AS by_trace,
  coalesce(r.status = 0, false) AS own_error,
  coalesce(r.status = 0, false) AS reverted,
  coalesce(r.status = 0, false) AS tx_failed,
  true AS outermost
FROM staging.evm_transaction AS t
LEFT JOIN staging.evm_receipt AS r ON r.chain_id = t.chain_id AND r."number" = t."number" AND r.tx_index = t.tx_index
WHERE t.to_address IS NULL AND coalesce(t.trace_status, '') <> 'traced'
  -- Of a container's transaction of a type that is not known, nothing else is known either.
  AND (t.source <> 'containers' OR t.gas_limit IS NOT NULL)
