/*
description: >-
  One row a transfer of a token, read from logs by their shape alone; a batch is several rows of one log. ERC-20: Transfer with 3 topics
  and a word of data. ERC-721: Transfer with 4 topics, whatever data it carries. ERC-1155: TransferSingle and TransferBatch with exactly 4
  topics and data that holds what it announces. Other logs of these signatures are no transfers.
traps: >-
  an address in a topic is its last 20 bytes, whatever stands before them. Mints come from, burns go to the zero address. Any contract may
  emit these logs: a row says what the log says, not that a token moved. Amounts and token ids reach 2^256-1: where 38 digits do not hold
  one, it is NULL and stands whole in the column named _text. Sums over amount leave those out: what a holder has is the sum of
  CAST(coalesce(amount_text, CAST(amount AS VARCHAR)) AS BIGNUM), in DuckDB from 1.4 on.
kept: table by block_time
files: { chain: chain_id, time: block_time, order: [chain_id, number, log_index, position] }
columns:
  chain_id: EVM chain id, such as 43114.
  number: Height of the block.
  log_index: Place of the log in the block, from 0.
  position: Place among the transfers of the log, from 0; above 0 in batches only.
  tx_index: Place of the transaction in the block, from 0.
  transaction_hash: Transaction hash, hex.
  block_time: Block time [UTC].
  token_address: Contract of the token.
  erc_type: ERC-20, ERC-721 or ERC-1155, by the shape of the log.
  operator_address: Who moved it (ERC-1155).
  from_address: Sender; the zero address for a mint.
  to_address: Receiver; the zero address for a burn.
  token_id: Token id (ERC-721, ERC-1155); NULL where 38 digits do not hold it.
  token_id_text: All digits of the token id where token_id cannot hold them.
  amount: Amount; 1 for ERC-721; NULL where 38 digits do not hold it [smallest unit of the token].
  amount_text: All digits of the amount where amount cannot hold them.
  source: Where the row is from.
*/
WITH
  -- Read twice rather than kept in between: that is half of the work and of the memory.
  event AS NOT MATERIALIZED (
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
    SELECT b.*, p.place FROM batch AS b CROSS JOIN UNNEST(range(b.length)) AS p (place) WHERE b.length > 0
  ),
  transfer AS (
    SELECT
      chain_id, "number", log_index, 0 AS "position", tx_index, transaction_hash, block_time, address, source,
      CASE kind WHEN 'coin' THEN 'ERC-20' WHEN 'nft' THEN 'ERC-721' ELSE 'ERC-1155' END AS erc_type,
      CASE kind WHEN 'single' THEN topic1 END AS operator_topic,
      CASE kind WHEN 'single' THEN topic2 ELSE topic1 END AS from_topic,
      CASE kind WHEN 'single' THEN topic3 ELSE topic2 END AS to_topic,
      CASE kind WHEN 'single' THEN abi_word("data", 0) WHEN 'nft' THEN substr(topic3, 3) END AS id_word,
      CASE kind
        WHEN 'single' THEN abi_word("data", 1)
        WHEN 'nft' THEN '0000000000000000000000000000000000000000000000000000000000000001'
        ELSE abi_word("data", 0)
      END AS amount_word
    FROM event
    WHERE kind <> 'batch'
    UNION ALL
    SELECT
      chain_id, "number", log_index, place, tx_index, transaction_hash, block_time, address, source, 'ERC-1155',
      topic1, topic2, topic3, abi_word("data", ids_at + 1 + place), abi_word("data", amounts_at + 1 + place)
    FROM places
  ),
  numbered AS (
    SELECT *, word_amount(id_word) AS token_id, word_amount(amount_word) AS amount FROM transfer WHERE amount_word IS NOT NULL
  ),
  -- What 38 digits do not hold, in groups of 18 decimal digits: each quarter of a word adds its share to every group (2^64, 2^128 and 2^192 in
  -- such groups), and what a group cannot hold goes over to the next.
  wide AS (
    SELECT *, CASE WHEN token_id IS NULL THEN id_word END AS wide_id, CASE WHEN amount IS NULL THEN amount_word END AS wide_amount FROM numbered
  ),
  quarters AS (
    SELECT
      *,
      word_quarter(wide_id, 0) AS i0, word_quarter(wide_id, 1) AS i1, word_quarter(wide_id, 2) AS i2, word_quarter(wide_id, 3) AS i3,
      word_quarter(wide_amount, 0) AS a0, word_quarter(wide_amount, 1) AS a1, word_quarter(wide_amount, 2) AS a2, word_quarter(wide_amount, 3) AS a3
    FROM wide
  ),
  shares AS (
    SELECT
      *,
      i3 + i2 * 446744073709551616 + i1 * 374607431768211456 + i0 * 355444464034512896 AS id_0,
      i2 * 18 + i1 * 282366920938463463 + i0 * 789423207666416102 AS id_1,
      i1 * 340 + i0 * 101735386680763835 AS id_2,
      i0 * 6277 AS id_3,
      a3 + a2 * 446744073709551616 + a1 * 374607431768211456 + a0 * 355444464034512896 AS amount_0,
      a2 * 18 + a1 * 282366920938463463 + a0 * 789423207666416102 AS amount_1,
      a1 * 340 + a0 * 101735386680763835 AS amount_2,
      a0 * 6277 AS amount_3
    FROM quarters
  ),
  first_carried AS (
    SELECT *, id_1 + digits_above(id_0) AS whole_id_1, amount_1 + digits_above(amount_0) AS whole_amount_1 FROM shares
  ),
  second_carried AS (
    SELECT *, id_2 + digits_above(whole_id_1) AS whole_id_2, amount_2 + digits_above(whole_amount_1) AS whole_amount_2 FROM first_carried
  ),
  carried AS (
    SELECT *, id_3 + digits_above(whole_id_2) AS whole_id_3, amount_3 + digits_above(whole_amount_2) AS whole_amount_3 FROM second_carried
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
  ltrim(
    CAST(digits_above(n.whole_id_3) AS VARCHAR) || digits_text(n.whole_id_3) || digits_text(n.whole_id_2) || digits_text(n.whole_id_1) || digits_text(n.id_0),
    '0'
  ) AS token_id_text,
  n.amount,
  ltrim(
    CAST(digits_above(n.whole_amount_3) AS VARCHAR) || digits_text(n.whole_amount_3) || digits_text(n.whole_amount_2) || digits_text(n.whole_amount_1) || digits_text(n.amount_0),
    '0'
  ) AS amount_text,
  n.source
FROM carried AS n
