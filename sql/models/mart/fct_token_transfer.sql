-- One row a transfer of a token, read from logs by their shape alone; a batch is several rows of one log.
-- ERC-20: Transfer with 3 topics and a word of data. ERC-721: Transfer with 4 topics, whatever data it carries. ERC-1155: TransferSingle and
-- TransferBatch with exactly 4 topics and data that holds what it announces. Other logs of these signatures are no transfers.
-- Traps: an address in a topic is its last 20 bytes, whatever stands before them. Mints come from, burns go to the zero address. Any contract
-- may emit these logs: a row says what the log says, not that a token moved. Amounts and token ids reach 2^256-1: where 38 digits do not
-- hold one, it is NULL and stands whole in the column named _text.
-- Kept as: table by block_time
-- Columns:
--   chain_id: EVM chain id, such as 43114.
--   number: Height of the block.
--   log_index: Place of the log in the block, from 0.
--   position: Place among the transfers of the log, from 0; above 0 in batches only.
--   tx_index: Place of the transaction in the block, from 0.
--   transaction_hash: Transaction hash, hex.
--   block_time: Block time [UTC].
--   token_address: Contract of the token.
--   erc_type: ERC-20, ERC-721 or ERC-1155, by the shape of the log.
--   operator_address: Who moved it (ERC-1155).
--   from_address: Sender; the zero address for a mint.
--   to_address: Receiver; the zero address for a burn.
--   token_id: Token id (ERC-721, ERC-1155); NULL where 38 digits do not hold it.
--   token_id_text: All digits of the token id where token_id cannot hold them.
--   amount: Amount; 1 for ERC-721; NULL where 38 digits do not hold it [smallest unit of the token].
--   amount_text: All digits of the amount where amount cannot hold them.
--   source: Where the row is from.
WITH
  event AS (
    SELECT
      chain_id,
      "number",
      log_index,
      tx_index,
      transaction_hash,
      block_time,
      address,
      source,
      CASE
        WHEN topic0 = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb' THEN 'batch'
        WHEN topic0 = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62' THEN 'single'
        WHEN topic_count = 4 THEN 'nft'
        ELSE 'coin'
      END AS kind,
      topic1,
      topic2,
      topic3,
      "data"
    FROM staging.evm_log
    WHERE topic0 = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' AND topic_count >= 3
      OR topic0 IN (
        '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
        '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
      ) AND topic_count = 4
  ),
  -- The two arrays of a batch: word 0 and word 1 tell in bytes where they begin; each begins with its length.
  arrays AS (
    SELECT
      *,
      whole_quotient(word_count(abi_word("data", 0)), 32) AS ids_at,
      whole_quotient(word_count(abi_word("data", 1)), 32) AS amounts_at
    FROM event
    WHERE kind = 'batch'
      AND word_count(abi_word("data", 0)) % 32 = 0 AND word_count(abi_word("data", 1)) % 32 = 0
  ),
  batch AS (
    SELECT
      *,
      word_count(abi_word("data", ids_at)) AS length
    FROM arrays
    WHERE abi_word("data", ids_at) = abi_word("data", amounts_at)
      -- Both arrays end within the data: an announced length beyond it is none.
      AND abi_word("data", ids_at + word_count(abi_word("data", ids_at))) IS NOT NULL
      AND abi_word("data", amounts_at + word_count(abi_word("data", amounts_at))) IS NOT NULL
  ),
  places AS (
    SELECT *, unnest(generate_series(0, length - 1)) AS place FROM batch WHERE length > 0
  ),
  transfer AS (
    SELECT
      chain_id, "number", log_index, 0 AS "position", tx_index, transaction_hash, block_time, address, source, 'ERC-20' AS erc_type,
      NULL AS operator_topic, topic1 AS from_topic, topic2 AS to_topic, NULL AS id_word, abi_word("data", 0) AS amount_word
    FROM event
    WHERE kind = 'coin' AND abi_word("data", 0) IS NOT NULL
    UNION ALL
    SELECT
      chain_id, "number", log_index, 0, tx_index, transaction_hash, block_time, address, source, 'ERC-721',
      NULL, topic1, topic2, substr(topic3, 3), '0000000000000000000000000000000000000000000000000000000000000001'
    FROM event
    WHERE kind = 'nft'
    UNION ALL
    SELECT
      chain_id, "number", log_index, 0, tx_index, transaction_hash, block_time, address, source, 'ERC-1155',
      topic1, topic2, topic3, abi_word("data", 0), abi_word("data", 1)
    FROM event
    WHERE kind = 'single' AND abi_word("data", 1) IS NOT NULL
    UNION ALL
    SELECT
      chain_id, "number", log_index, place, tx_index, transaction_hash, block_time, address, source, 'ERC-1155',
      topic1, topic2, topic3, abi_word("data", ids_at + 1 + place), abi_word("data", amounts_at + 1 + place)
    FROM places
  ),
  numbered AS (
    SELECT *, word_amount(id_word) AS token_id, word_amount(amount_word) AS amount FROM transfer
  ),
  -- What 38 digits do not hold, in groups of 18 decimal digits: each quarter of a word adds its share to every group (2^64, 2^128 and 2^192 in
  -- such groups), and what a group cannot hold goes over to the next.
  wide AS (
    SELECT id_word AS word FROM numbered WHERE id_word IS NOT NULL AND token_id IS NULL
    UNION
    SELECT amount_word FROM numbered WHERE amount_word IS NOT NULL AND amount IS NULL
  ),
  quarters AS (
    SELECT word, word_quarter(word, 0) AS q0, word_quarter(word, 1) AS q1, word_quarter(word, 2) AS q2, word_quarter(word, 3) AS q3 FROM wide
  ),
  shares AS (
    SELECT
      word,
      q3 + q2 * 446744073709551616 + q1 * 374607431768211456 + q0 * 355444464034512896 AS g0,
      q2 * 18 + q1 * 282366920938463463 + q0 * 789423207666416102 AS g1,
      q1 * 340 + q0 * 101735386680763835 AS g2,
      q0 * 6277 AS g3
    FROM quarters
  ),
  first_carried AS (SELECT word, g0, g1 + digits_above(g0) AS g1, g2, g3 FROM shares),
  second_carried AS (SELECT word, g0, g1, g2 + digits_above(g1) AS g2, g3 FROM first_carried),
  carried AS (SELECT word, g0, g1, g2, g3 + digits_above(g2) AS g3 FROM second_carried),
  spelled AS (
    SELECT word, ltrim(CAST(digits_above(g3) AS VARCHAR) || digits_text(g3) || digits_text(g2) || digits_text(g1) || digits_text(g0), '0') AS digits
    FROM carried
  )
SELECT
  n.chain_id,
  n."number",
  n.log_index,
  CAST(n."position" AS INTEGER) AS "position",
  n.tx_index,
  n.transaction_hash,
  n.block_time,
  n.address AS token_address,
  n.erc_type,
  word_address(n.operator_topic) AS operator_address,
  word_address(n.from_topic) AS from_address,
  word_address(n.to_topic) AS to_address,
  n.token_id,
  i.digits AS token_id_text,
  n.amount,
  a.digits AS amount_text,
  n.source
FROM numbered AS n
LEFT JOIN spelled AS i ON i.word = n.id_word
LEFT JOIN spelled AS a ON a.word = n.amount_word
