/*
description: >-
  What of each bucket is held, with the proof. Days are continuous from the first block after genesis to the last; hours, weeks and months
  without a block have no row. Blocks are covered where heights follow each other and every parent hash is that of the block before, also
  into the next bucket: a hole at the end of a bucket shows only in the bucket after it. The first bucket of a history that does not begin
  at genesis is never covered: what lay before its first block is unknown. State speaks of this data alone, by the time of its newest
  block and never by a clock: open until a block lies after the bucket, settled when one lies 72 hours after it.
kept: table
columns:
  chain_id: EVM chain id.
  time_interval: hour, day, week (from Monday) or month.
  bucket: Start of the bucket [UTC].
  bucket_end: Start of the next one [UTC].
  state: open, closed or settled.
  blocks: Blocks held.
  first_block: Lowest height.
  last_block: Highest height.
  last_block_time: Time of the last block [UTC].
  unlinked_blocks: Blocks whose parent is missing or is not the one they name.
  transactions: EVM transactions held.
  atomic_transactions: Atomic transactions (C-Chain), not in transactions.
  receipts: Receipts held.
  header_gas: Sum of the headers' gas; of blocks that are settled later that of their receipts [gas].
  receipt_gas: Sum of the receipts' gas [gas].
  untraced_transactions: Transactions without a call trace.
  blocks_covered: Every block of the bucket is held.
  gas_covered: Blocks covered, and receipts, where any are held, add up to the headers' gas.
  receipts_covered: 'Blocks covered, every receipt and log held: receipts = transactions, receipt gas = header gas.'
  traces_covered: Blocks covered, every transaction traced.
  blocks_covered_since_genesis: blocks_covered in this and all earlier buckets, from genesis.
  receipts_covered_since_genesis: receipts_covered in this and all earlier buckets, from genesis.
  traces_covered_since_genesis: traces_covered in this and all earlier buckets, from genesis.
  source: Where the blocks are from; NULL in an empty day.
*/
WITH
  held AS (SELECT * FROM mart.chain_bucket WHERE in_chains(chain_id)),
  span AS (
    SELECT chain_id, min(bucket) AS first_day, max(bucket) AS last_day, max(last_block_time) AS newest, min(first_block) AS first_block
    FROM held
    WHERE time_interval = 'day'
    GROUP BY chain_id
  ),
  days AS (
    SELECT s.chain_id, 'day' AS time_interval, d.bucket
    FROM span AS s
    CROSS JOIN UNNEST(generate_series(s.first_day, s.last_day, INTERVAL '1' DAY)) AS d (bucket)
  ),
  buckets AS (
    SELECT chain_id, time_interval, bucket FROM held WHERE time_interval <> 'day'
    UNION ALL
    SELECT chain_id, time_interval, bucket FROM days
  ),
  placed AS (
    SELECT
      b.chain_id,
      b.time_interval,
      b.bucket,
      end_of_bucket(b.time_interval, b.bucket) AS bucket_end,
      s.newest,
      s.first_block AS history_begin,
      c.blocks,
      c.first_block,
      c.last_block,
      c.last_block_time,
      c.unlinked_blocks,
      c.transactions,
      c.atomic_transactions,
      c.receipts,
      c.header_gas,
      c.receipt_gas,
      c.blocks_without_receipts,
      c.unproved_receipts,
      c.untraced_transactions,
      c.source,
      max(c.last_block) OVER (
        PARTITION BY b.chain_id, b.time_interval ORDER BY b.bucket ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS last_known,
      min(c.first_block) OVER (
        PARTITION BY b.chain_id, b.time_interval ORDER BY b.bucket ASC ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
      ) AS next_known
    FROM buckets AS b
    JOIN span AS s ON s.chain_id = b.chain_id
    LEFT JOIN held AS c ON c.chain_id = b.chain_id AND c.time_interval = b.time_interval AND c.bucket = b.bucket
  ),
  proved AS (
    SELECT
      *,
      coalesce(unlinked_blocks, 0) = 0 AND (next_known IS NULL OR next_known = last_known + 1) AS blocks_covered
    FROM placed
  ),
  covered AS (
    SELECT
      *,
      blocks_covered AND coalesce(unproved_receipts, 0) <= coalesce(blocks_without_receipts, 0) AS gas_covered,
      blocks_covered AND coalesce(unproved_receipts, 0) = 0 AS receipts_covered,
      blocks_covered AND coalesce(untraced_transactions, 0) = 0 AS traces_covered
    FROM proved
  ),
  gaps AS (
    SELECT
      chain_id,
      time_interval,
      min(CASE WHEN NOT blocks_covered THEN bucket END) AS without_blocks,
      min(CASE WHEN NOT receipts_covered THEN bucket END) AS without_receipts,
      min(CASE WHEN NOT traces_covered THEN bucket END) AS without_traces
    FROM covered
    GROUP BY chain_id, time_interval
  )
SELECT
  c.chain_id,
  c.time_interval,
  c.bucket,
  c.bucket_end,
  CASE WHEN c.newest < c.bucket_end THEN 'open' WHEN c.newest < c.bucket_end + INTERVAL '72' HOUR THEN 'closed' ELSE 'settled' END AS state,
  coalesce(c.blocks, 0) AS blocks,
  c.first_block,
  c.last_block,
  c.last_block_time,
  coalesce(c.unlinked_blocks, 0) AS unlinked_blocks,
  coalesce(c.transactions, 0) AS transactions,
  coalesce(c.atomic_transactions, 0) AS atomic_transactions,
  coalesce(c.receipts, 0) AS receipts,
  coalesce(c.header_gas, 0) AS header_gas,
  coalesce(c.receipt_gas, 0) AS receipt_gas,
  coalesce(c.untraced_transactions, 0) AS untraced_transactions,
  c.blocks_covered,
  c.gas_covered,
  c.receipts_covered,
  c.traces_covered,
  c.history_begin = 1 AND (g.without_blocks IS NULL OR c.bucket < g.without_blocks) AS blocks_covered_since_genesis,
  c.history_begin = 1 AND (g.without_receipts IS NULL OR c.bucket < g.without_receipts) AS receipts_covered_since_genesis,
  c.history_begin = 1 AND (g.without_traces IS NULL OR c.bucket < g.without_traces) AS traces_covered_since_genesis,
  c.source
FROM covered AS c
JOIN gaps AS g ON g.chain_id = c.chain_id AND g.time_interval = c.time_interval
