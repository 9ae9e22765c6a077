/*
description: sum of the receipts' effective gas prices / transactions; each transaction counts once, whatever gas it used.
traps: integers until the last division (avg of a 128-bit integer is a double); a day without a transaction has no value.
metric:
  rank: 13
  title: Average gas price
  unit: wei
  intervals: [day]
  needs: receipts
  quotient: true
  variants:
    gas_weighted: fees paid / gas used
  contributors: |
    SELECT "number", tx_index, hash, gas_used, coalesce(effective_gas_price_text, CAST(effective_gas_price AS VARCHAR)) AS effective_gas_price,
      CASE WHEN fee_overflows THEN 'more than 38 digits' ELSE CAST(fee_paid AS VARCHAR) END AS fee
    FROM mart.fct_transaction AS t WHERE gas_used IS NOT NULL AND chain_id = $chain AND block_time >= $from AND block_time < $until
    ORDER BY t.effective_gas_price DESC NULLS FIRST, length(t.effective_gas_price_text) DESC, t.effective_gas_price_text DESC, "number" ASC, tx_index ASC LIMIT 10
*/
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
      CASE variant() WHEN 'gas_weighted' THEN wide_sum(receipt_gas_used) ELSE wide_sum(receipt_count) END AS weight,
      bool_and(receipts_priced) AS all_priced
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
  b.receipts_covered AND coalesce(s.all_priced, true) AS covered
FROM firn.coverage AS b
LEFT JOIN summed AS s ON s.chain_id = b.chain_id AND s.bucket = b.bucket
WHERE b.time_interval = 'day' AND in_buckets(b.chain_id, b.time_interval, b.bucket)
