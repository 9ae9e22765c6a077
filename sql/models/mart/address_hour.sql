-- One row an address an hour in which it took part in anything, and how. Distinct addresses of any bucket, and the first sight
-- of an address, are read from here instead of from all transactions, logs and traces again.
-- ERC-20 and ERC-721: Transfer with at least 3 topics (from, to). ERC-1155: TransferSingle and TransferBatch with exactly 4 topics
-- (operator, from, to). Transfer events with fewer topics carry their addresses in the data and are not counted.
-- Traps: addresses in topics are 32 bytes: only the last 20 count, whatever stands before them. The zero address (mints, burns)
-- is an address like any other.
-- Kept as: table by hour
-- Columns:
--   chain_id: EVM chain id.
--   hour: Start of the hour [UTC].
--   address: 20 bytes, lower case.
--   tx_from: Sent a transaction.
--   tx_to: Received one.
--   token_from: `from` of an ERC-20 or ERC-721 transfer.
--   token_to: `to` of one.
--   multi_token_operator: Operator of an ERC-1155 transfer.
--   multi_token_from: `from` of one.
--   multi_token_to: `to` of one.
--   trace_from: `from` of a call frame.
--   trace_to: `to` of one.
WITH
  transfer AS (
    SELECT chain_id, date_trunc('hour', block_time) AS "hour", topic0, topic1, topic2, topic3
    FROM staging.evm_log
    WHERE topic0 = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' AND topic_count >= 3
      OR topic0 IN (
        '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
        '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
      ) AND topic_count = 4
  ),
  token AS (
    SELECT chain_id, "hour", topic1, topic2 FROM transfer
    WHERE topic0 = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  ),
  multi_token AS (
    SELECT chain_id, "hour", topic1, topic2, topic3 FROM transfer
    WHERE topic0 <> '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  ),
  sight AS (
    SELECT chain_id, date_trunc('hour', block_time) AS "hour", from_address AS address, 1 AS "role" FROM staging.evm_transaction WHERE from_address IS NOT NULL
    UNION ALL
    SELECT chain_id, date_trunc('hour', block_time), to_address, 2 FROM staging.evm_transaction WHERE to_address IS NOT NULL
    UNION ALL
    SELECT chain_id, "hour", '0x' || lower(substr(topic1, 27)), 3 FROM token
    UNION ALL
    SELECT chain_id, "hour", '0x' || lower(substr(topic2, 27)), 4 FROM token
    UNION ALL
    SELECT chain_id, "hour", '0x' || lower(substr(topic1, 27)), 5 FROM multi_token
    UNION ALL
    SELECT chain_id, "hour", '0x' || lower(substr(topic2, 27)), 6 FROM multi_token
    UNION ALL
    SELECT chain_id, "hour", '0x' || lower(substr(topic3, 27)), 7 FROM multi_token
    UNION ALL
    SELECT chain_id, date_trunc('hour', block_time), from_address, 8 FROM staging.evm_trace
    UNION ALL
    SELECT chain_id, date_trunc('hour', block_time), to_address, 9 FROM staging.evm_trace WHERE to_address IS NOT NULL
  )
SELECT
  chain_id,
  "hour",
  address,
  bool_or("role" = 1) AS tx_from,
  bool_or("role" = 2) AS tx_to,
  bool_or("role" = 3) AS token_from,
  bool_or("role" = 4) AS token_to,
  bool_or("role" = 5) AS multi_token_operator,
  bool_or("role" = 6) AS multi_token_from,
  bool_or("role" = 7) AS multi_token_to,
  bool_or("role" = 8) AS trace_from,
  bool_or("role" = 9) AS trace_to
FROM sight
GROUP BY chain_id, "hour", address
