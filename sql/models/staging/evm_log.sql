/*
description: One row a log.
traps: 'DuckDB counts list items from 1: topics[1] is topic 0, the event signature. Anonymous logs have no topics.'
kept: view
columns:
  chain_id: EVM chain id.
  number: Height of the block.
  log_index: Place in the block, from 0.
  tx_index: Place of the transaction in the block, from 0.
  transaction_hash: Transaction hash.
  block_time: Block time [UTC].
  address: Contract that emitted the log.
  topic_count: Number of topics, 0 to 4.
  topic0: Event signature.
  topic1: Second topic.
  topic2: Third topic.
  topic3: Fourth topic.
  data: Data, hex.
  source: Where the row is from.
*/
SELECT
  l.chain_id,
  l."number",
  l.log_index,
  l.tx_index,
  l.transaction_hash,
  b."timestamp" AS block_time,
  l.address,
  CAST(len(l.topics) AS INTEGER) AS topic_count,
  list_extract(l.topics, 1) AS topic0,
  list_extract(l.topics, 2) AS topic1,
  list_extract(l.topics, 3) AS topic2,
  list_extract(l.topics, 4) AS topic3,
  l.data,
  'node' AS source
FROM raw.node_evm_logs AS l
JOIN raw.node_evm_blocks AS b ON b.chain_id = l.chain_id AND b."number" = l."number" AND near_blocks(b.chain_id, b."number")
WHERE in_blocks(l.chain_id, l."number")
