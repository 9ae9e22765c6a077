/*
description: >-
  One row an address an hour in which it took part in anything, and how. Distinct addresses of any bucket, and the first sight of an
  address, are read from here instead of from all transactions, logs and traces again. ERC-20 and ERC-721: Transfer with at least 3 topics
  (from, to). ERC-1155: TransferSingle and TransferBatch with exactly 4 topics (operator, from, to). Transfer events with fewer topics
  carry their addresses in the data and are not counted.
traps: >-
  addresses in topics are 32 bytes: only the last 20 count, whatever stands before them. The zero address (mints, burns) is an address
  like any other.
kept: table by hour
files: { chain: chain_id, time: hour, order: [chain_id, hour, address] }
columns:
  chain_id: EVM chain id.
  hour: Start of the hour [UTC].
  address: 20 bytes, lower case.
  tx_from: Sent a transaction.
  tx_to: Received one.
  token_from: '`from` of an ERC-20 or ERC-721 transfer.'
  token_to: '`to` of one.'
  multi_token_operator: Operator of an ERC-1155 transfer.
  multi_token_from: '`from` of one.'
  multi_token_to: '`to` of one.'
  trace_from: '`from` of a call frame.'
  trace_to: '`to` of one.'
*/
WITH
  -- Each source is scanned once, whatever it tells of: the places of a transfer's topics are its roles from 3 on, or from 5.
  sight AS (
    SELECT t.chain_id, date_trunc('hour', t.block_time) AS "hour", CASE r."role" WHEN 1 THEN t.from_address ELSE t.to_address END AS address, r."role"
    FROM staging.evm_transaction AS t
    CROSS JOIN (VALUES (1), (2)) AS r ("role")
    UNION ALL
    SELECT
      l.chain_id,
      date_trunc('hour', l.block_time),
      '0x' || lower(substr(CASE r.place WHEN 1 THEN l.topic1 WHEN 2 THEN l.topic2 ELSE l.topic3 END, 27)),
      CASE WHEN l.topic0 = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' THEN 2 ELSE 4 END + r.place
    FROM staging.evm_log AS l
    CROSS JOIN (VALUES (1), (2), (3)) AS r (place)
    WHERE l.topic0 = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' AND l.topic_count >= 3 AND r.place < 3
      OR l.topic0 IN (
        '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
        '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
      ) AND l.topic_count = 4
    UNION ALL
    SELECT f.chain_id, date_trunc('hour', f.block_time), CASE r."role" WHEN 8 THEN f.from_address ELSE f.to_address END, r."role"
    FROM staging.evm_trace AS f
    CROSS JOIN (VALUES (8), (9)) AS r ("role")
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
WHERE address IS NOT NULL
GROUP BY chain_id, "hour", address
