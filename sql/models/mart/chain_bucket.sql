/*
description: 'One row a bucket that holds blocks, at every interval: what is in it, and what proves that nothing is missing.'
kept: table by bucket
files: { chain: chain_id, time: bucket, order: [chain_id, time_interval, bucket] }
columns:
  chain_id: EVM chain id.
  time_interval: hour, day, week (from Monday) or month.
  bucket: Start of the bucket [UTC].
  blocks: Blocks held.
  first_block: Lowest height.
  last_block: Highest height.
  first_block_time: Time of the first block [UTC].
  last_block_time: Time of the last block [UTC].
  unlinked_blocks: Blocks whose parent is missing or is not the one they name.
  transactions: EVM transactions held.
  atomic_transactions: Atomic transactions (C-Chain), not in transactions.
  receipts: Receipts held.
  header_gas: Sum of the headers' gas; of blocks that are settled later that of their receipts [gas].
  receipt_gas: Sum of the receipts' gas [gas].
  blocks_without_receipts: Blocks that need receipts and have none, and tell their gas without them.
  unproved_receipts: Blocks whose receipts are missing or do not add up.
  untraced_transactions: Transactions without a call trace.
  source: Where the blocks are from.
*/
SELECT
  f.chain_id,
  i.time_interval,
  date_trunc(i.time_interval, f.block_time) AS bucket,
  count(*) AS blocks,
  min(f."number") AS first_block,
  max(f."number") AS last_block,
  min(f.block_time) AS first_block_time,
  max(f.block_time) AS last_block_time,
  count(*) FILTER (WHERE NOT f.linked) AS unlinked_blocks,
  CAST(sum(f.tx_count) AS BIGINT) AS transactions,
  CAST(sum(f.atomic_tx_count) AS BIGINT) AS atomic_transactions,
  CAST(sum(f.receipt_count) AS BIGINT) AS receipts,
  wide_sum(f.gas_used) AS header_gas,
  wide_sum(f.receipt_gas_used) AS receipt_gas,
  count(*) FILTER (WHERE NOT f.receipts_held AND f.gas_used IS NOT NULL) AS blocks_without_receipts,
  count(*) FILTER (WHERE NOT f.receipts_proved) AS unproved_receipts,
  CAST(sum(f.tx_count - f.traced_tx_count) AS BIGINT) AS untraced_transactions,
  array_to_string(list_sort(array_agg(DISTINCT f.source)), ',') AS source
FROM mart.fct_block AS f
CROSS JOIN (VALUES ('hour'), ('day'), ('week'), ('month')) AS i (time_interval)
WHERE f."number" > 0 AND in_buckets(f.chain_id, i.time_interval, f.block_time)
GROUP BY f.chain_id, i.time_interval, date_trunc(i.time_interval, f.block_time)
