/*
description: highest effective gas price of a receipt.
traps: the price that was paid, not maxFeePerGas; a day without a transaction has no value.
metric:
  rank: 8
  title: Highest gas price
  unit: wei
  intervals: [day]
  needs: receipts
  contributors: |
    SELECT "number", tx_index, hash, gas_used, coalesce(effective_gas_price_text, CAST(effective_gas_price AS VARCHAR)) AS effective_gas_price,
      CASE WHEN fee_overflows THEN 'more than 38 digits' ELSE CAST(fee_paid AS VARCHAR) END AS fee
    FROM mart.fct_transaction AS t WHERE gas_used IS NOT NULL AND chain_id = $chain AND block_time >= $from AND block_time < $until
    ORDER BY t.effective_gas_price DESC NULLS FIRST, length(t.effective_gas_price_text) DESC, t.effective_gas_price_text DESC, "number" ASC, tx_index ASC LIMIT 10
*/
WITH
  highest AS (
    SELECT
      chain_id,
      date_trunc('day', block_time) AS bucket,
      count(effective_gas_price_max) + count(effective_gas_price_max_text) AS prices,
      -- NULL where 38 digits do not hold the highest.
      CASE WHEN count(effective_gas_price_max_text) = 0 THEN max(effective_gas_price_max) END AS price,
      bool_and(receipts_priced) AS all_priced
    FROM mart.fct_block
    WHERE "number" > 0 AND in_buckets(chain_id, 'day', block_time)
    GROUP BY chain_id, date_trunc('day', block_time)
  )
SELECT
  b.chain_id,
  'maxGasPrice' AS metric,
  b.time_interval,
  b.bucket,
  h.price AS numerator,
  CASE WHEN h.prices > 0 THEN CAST(1 AS DECIMAL(38,0)) END AS denominator,
  b.receipts_covered AND coalesce(h.all_priced, true) AS covered
FROM firn.coverage AS b
LEFT JOIN highest AS h ON h.chain_id = b.chain_id AND h.bucket = b.bucket
WHERE b.time_interval = 'day' AND in_buckets(b.chain_id, b.time_interval, b.bucket)
