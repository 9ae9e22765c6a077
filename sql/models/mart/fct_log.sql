/*
description: >-
  One row a log of an EVM transaction. ICM (Warp) messages that a chain sends are logs of 0x0200000000000000000000000000000000000005: topic1 is
  the sender, topic2 the message id.
traps: >-
  topic0 is the hash of the event's signature unless the event is anonymous: anonymous logs have no such topic, or another in its place.
kept: view by block_time
files: { chain: chain_id, time: block_time, order: [chain_id, number, log_index] }
columns:
  chain_id: EVM chain id, such as 43114.
  number: Height of the block.
  log_index: Place in the block, from 0.
  tx_index: Place of the transaction in the block, from 0.
  transaction_hash: Transaction hash, hex.
  block_time: Block time [UTC].
  address: Contract that emitted the log.
  topic_count: Number of topics, 0 to 4.
  topic0: First topic, mostly the event's signature, such as 0xddf252ad... for Transfer.
  topic1: 'Second topic: 32 bytes, an address in the last 20.'
  topic2: Third topic.
  topic3: Fourth topic.
  data: Data, hex.
  data_bytes: Length of the data [bytes].
  source: Where the row is from.
*/
SELECT
  chain_id,
  "number",
  log_index,
  tx_index,
  transaction_hash,
  block_time,
  address,
  topic_count,
  topic0,
  topic1,
  topic2,
  topic3,
  "data",
  CAST((length("data") - 2) * 0.5 AS BIGINT) AS data_bytes,
  source
FROM staging.evm_log
