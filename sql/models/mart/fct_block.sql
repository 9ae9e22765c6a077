/*
description: >-
  One row a block with the sums of its transactions and the proofs that they are all there. Every metric of blocks, gas and fees is a sum
  or a maximum over this table. Units: gas, wei, seconds. Amounts are exact: no double anywhere. One that needs more than 38 digits is
  NULL, and amounts_overflow says so.
traps: 'block 0 is genesis: without transactions, and the predecessor of block 1. previous_time is NULL where the parent is not held.'
kept: table by block_time
files: { chain: chain_id, time: block_time, order: [chain_id, number] }
columns:
  chain_id: EVM chain id.
  number: Height.
  hash: Block hash.
  parent_hash: Hash of the parent block.
  block_time: Header seconds [UTC].
  timestamp_milliseconds: Header time with milliseconds, where the header has it [ms].
  previous_time: Time of the parent; NULL where the parent is not held [UTC].
  seconds_since_previous: Distance to the parent; 0 where both share a second [s].
  milliseconds_since_previous: Distance to the parent, where both headers have milliseconds [ms].
  linked: 'Whether the parent is held and its hash is the one named here (block 1 may stand alone: genesis holds nothing).'
  gas_used: >-
    Gas of the header, without atomic transactions; of a block that is settled later that of its receipts, NULL where they are not all held
    [gas].
  gas_limit: Gas limit [gas].
  base_fee_per_gas: Base fee; of a block that is settled later the highest that it may be [wei].
  base_fee_per_gas_text: All digits of the base fee where base_fee_per_gas cannot hold them.
  miner: 'Coinbase: who gets the fees. They are burned where it is 0x0100000000000000000000000000000000000000, as on the C-Chain.'
  size: Size of the block [bytes].
  tx_count: EVM transactions, failed ones included.
  failed_tx_count: Transactions whose receipt says failed.
  atomic_tx_count: Atomic transactions (C-Chain), not in tx_count.
  receipt_count: Receipts held.
  receipt_gas_used: Sum of the receipts' gas [gas].
  log_count: Logs held.
  traced_tx_count: Transactions with a call trace.
  effective_gas_price_sum: Sum of the receipts' effective gas prices [wei].
  effective_gas_price_max: Highest effective gas price [wei].
  effective_gas_price_max_text: All digits of it where effective_gas_price_max cannot hold them.
  fees_paid: Sum of gas used times effective gas price, failed transactions included [wei].
  fees_offered: The same with the price the senders offered at most (maxFeePerGas) [wei].
  amounts_overflow: Whether a sum or maximum of prices or fees here has more than 38 digits, and so is NULL.
  receipts_held: Whether any receipt is held, or none is needed.
  receipts_proved: Receipts = transactions, their gas = the header's gas (no more than it of a block that is settled later), logs without a gap.
  receipts_priced: Every receipt held has a price, its own or its transaction's; the sums of prices and fees lack the others.
  traces_proved: Every transaction has a call trace.
  settled_later: >-
    Whether it is executed after it was accepted (C-Chain from Helicon on): its header names the most gas that its transactions may use, not
    what they used.
  source: Where the block is from.
*/
WITH
  transactions AS (
    SELECT chain_id, "number", count(*) AS tx_count, count(*) FILTER (WHERE trace_status = 'traced') AS traced_tx_count
    FROM staging.evm_transaction
    GROUP BY chain_id, "number"
  ),
  receipt AS (
    SELECT
      r.chain_id,
      r."number",
      r.status,
      r.gas_used,
      r.effective_gas_price AS paid,
      r.effective_gas_price_text AS paid_text,
      -- No gas costs nothing at any price.
      CASE WHEN r.gas_used = 0 AND r.effective_gas_price_text IS NOT NULL THEN 0 ELSE amount_product(r.gas_used, r.effective_gas_price) END AS fee_paid,
      CASE WHEN t.max_fee_per_gas_text IS NULL THEN coalesce(t.max_fee_per_gas, r.effective_gas_price) END AS offered,
      coalesce(t.max_fee_per_gas_text, CASE WHEN t.max_fee_per_gas IS NULL THEN r.effective_gas_price_text END) AS offered_text,
      amount_product(
        r.gas_used, CASE WHEN t.max_fee_per_gas_text IS NULL THEN coalesce(t.max_fee_per_gas, r.effective_gas_price) END
      ) AS fee_offered
    FROM staging.evm_receipt AS r
    LEFT JOIN staging.evm_transaction AS t ON t.chain_id = r.chain_id AND t."number" = r."number" AND t.tx_index = r.tx_index
  ),
  receipts AS (
    SELECT
      r.chain_id,
      r."number",
      count(*) AS receipt_count,
      count(*) FILTER (WHERE r.status = 0) AS failed_tx_count,
      wide_sum(r.gas_used) AS receipt_gas_used,
      -- Each sum is NULL where one of its terms, or itself, has more than 38 digits.
      CASE WHEN count(r.paid_text) = 0 THEN amount_sum(r.paid) END AS effective_gas_price_sum,
      CASE WHEN count(r.paid_text) = 0 THEN max(r.paid) END AS effective_gas_price_max,
      ltrim(max(lpad(r.paid_text, 78, '0')), '0') AS effective_gas_price_max_text,
      CASE WHEN count(r.paid_text) + count(r.paid) = count(r.fee_paid) THEN amount_sum(r.fee_paid) END AS fees_paid,
      CASE WHEN count(r.offered_text) = 0 AND count(r.offered) = count(r.fee_offered) THEN amount_sum(r.fee_offered) END AS fees_offered,
      count(r.paid_text) + count(r.paid) AS priced,
      count(r.offered_text) + count(r.offered) AS offers
    FROM receipt AS r
    GROUP BY r.chain_id, r."number"
  ),
  logs AS (
    SELECT chain_id, "number", count(*) AS log_count, max(log_index) + 1 AS log_end
    FROM staging.evm_log
    GROUP BY chain_id, "number"
  )
SELECT
  b.chain_id,
  b."number",
  b.hash,
  b.parent_hash,
  b.block_time,
  b.timestamp_milliseconds,
  p.block_time AS previous_time,
  CAST(seconds_between(p.block_time, b.block_time) AS BIGINT) AS seconds_since_previous,
  b.timestamp_milliseconds - p.timestamp_milliseconds AS milliseconds_since_previous,
  b."number" <= 1 AND p."number" IS NULL AND b.source <> 'data' OR coalesce(b.parent_hash = p.hash, false) AS linked,
  CASE
    WHEN NOT b.settled_later THEN b.gas_used
    WHEN coalesce(r.receipt_count, 0) = coalesce(t.tx_count, 0) THEN CAST(coalesce(r.receipt_gas_used, 0) AS BIGINT)
  END AS gas_used,
  b.gas_limit,
  b.base_fee_per_gas,
  b.base_fee_per_gas_text,
  b.miner,
  b.size,
  coalesce(t.tx_count, 0) AS tx_count,
  coalesce(r.failed_tx_count, 0) AS failed_tx_count,
  CAST(b.atomic_tx_count AS BIGINT) AS atomic_tx_count,
  coalesce(r.receipt_count, 0) AS receipt_count,
  coalesce(r.receipt_gas_used, 0) AS receipt_gas_used,
  coalesce(l.log_count, 0) AS log_count,
  coalesce(t.traced_tx_count, 0) AS traced_tx_count,
  CASE WHEN coalesce(r.priced, 0) = 0 THEN 0 ELSE r.effective_gas_price_sum END AS effective_gas_price_sum,
  r.effective_gas_price_max,
  r.effective_gas_price_max_text,
  CASE WHEN coalesce(r.priced, 0) = 0 THEN 0 ELSE r.fees_paid END AS fees_paid,
  CASE WHEN coalesce(r.offers, 0) = 0 THEN 0 ELSE r.fees_offered END AS fees_offered,
  coalesce(r.priced, 0) > 0 AND (r.effective_gas_price_sum IS NULL OR r.effective_gas_price_max IS NULL OR r.fees_paid IS NULL)
    OR coalesce(r.offers, 0) > 0 AND r.fees_offered IS NULL AS amounts_overflow,
  coalesce(t.tx_count, 0) = 0 OR coalesce(r.receipt_count, 0) > 0 AS receipts_held,
  coalesce(r.receipt_count, 0) = coalesce(t.tx_count, 0)
    AND CASE WHEN b.settled_later THEN coalesce(r.receipt_gas_used, 0) <= b.gas_used ELSE coalesce(r.receipt_gas_used, 0) = b.gas_used END
    AND coalesce(l.log_count, 0) = coalesce(l.log_end, 0) AS receipts_proved,
  coalesce(r.priced, 0) = coalesce(r.receipt_count, 0) AS receipts_priced,
  coalesce(t.traced_tx_count, 0) = coalesce(t.tx_count, 0) AS traces_proved,
  b.settled_later,
  b.source
FROM staging.evm_block AS b
LEFT JOIN staging.evm_block AS p ON p.chain_id = b.chain_id AND p."number" = b."number" - 1
LEFT JOIN transactions AS t ON t.chain_id = b.chain_id AND t."number" = b."number"
LEFT JOIN receipts AS r ON r.chain_id = b.chain_id AND r."number" = b."number"
LEFT JOIN logs AS l ON l.chain_id = b.chain_id AND l."number" = b."number"
WHERE in_blocks(b.chain_id, b."number")
