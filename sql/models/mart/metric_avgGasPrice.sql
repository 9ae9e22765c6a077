-- avgGasPrice: sum of the receipts' effective gas prices / transactions; each transaction counts once, whatever gas it used.
-- Unit: wei. Interval: day. Needs receipts.
-- Traps: integers until the last division (avg of a 128-bit integer is a double); a day without a transaction has no value.
-- Variants: gas_weighted (fees paid / gas used)
-- Kept as: view
WITH
  summed AS (
    SELECT
      chain_id,
      date_trunc('day', block_time) AS bucket,
      -- NULL where 38 digits do not hold a term, or the sum.
      CASE
        WHEN variant() = 'gas_weighted' THEN CASE WHEN count(*) = count(fees_paid) THEN amount_sum(fees_paid) END
        WHEN count(*) = count(effective_gas_price_sum) THEN amount_sum(effective_gas_price_sum)
      END AS price,
      CASE variant() WHEN 'gas_weighted' THEN wide_sum(receipt_gas_used) ELSE wide_sum(receipt_count) END AS weight
    FROM mart.fct_block
    WHERE "number" > 0 AND in_buckets(chain_id, 'day', block_time)
    GROUP BY chain_id, date_trunc('day', block_time)
  )
SELECT
  b.chain_id,
  'avgGasPrice' AS metric,
  b.time_interval,
  b.bucket,
  CASE WHEN s.weight > 0 THEN s.price END AS numerator,
  nullif(s.weight, 0) AS denominator,
  b.receipts_covered AS covered
FROM firn.coverage AS b
LEFT JOIN summed AS s ON s.chain_id = b.chain_id AND s.bucket = b.bucket
WHERE b.time_interval = 'day' AND in_buckets(b.chain_id, b.time_interval, b.bucket)
