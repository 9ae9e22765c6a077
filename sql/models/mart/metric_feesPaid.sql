/*
description: sum of gas used times effective gas price, failed transactions included.
traps: '64 bits wrap at 18.4 coins: sum in 128 bits; with maxFeePerGas instead of the price paid it is many times too high.'
metric:
  rank: 5
  title: Fees paid
  unit: wei
  intervals: [day]
  needs: receipts
  variants:
    tx_gas_price: 'gas used times the price offered: maxFeePerGas where the transaction has one'
  contributors: |
    SELECT "number", tx_index, hash, gas_used, coalesce(effective_gas_price_text, CAST(effective_gas_price AS VARCHAR)) AS effective_gas_price,
      CASE WHEN fee_overflows THEN 'more than 38 digits' ELSE CAST(fee_paid AS VARCHAR) END AS fee
    FROM mart.fct_transaction WHERE gas_used IS NOT NULL AND chain_id = $chain AND block_time >= $from AND block_time < $until
    ORDER BY fee_paid DESC NULLS FIRST, "number" ASC, tx_index ASC LIMIT 10
*/
WITH
  summed AS (
    SELECT
      chain_id,
      date_trunc('day', block_time) AS bucket,
      -- NULL where 38 digits do not hold a term, or the sum.
      CASE
        WHEN variant() = 'tx_gas_price' THEN CASE WHEN count(*) = count(fees_offered) THEN amount_sum(fees_offered) END
        WHEN count(*) = count(fees_paid) THEN amount_sum(fees_paid)
      END AS fees,
      bool_and(receipts_priced) AS all_priced
    FROM mart.fct_block
    WHERE "number" > 0 AND in_buckets(chain_id, 'day', block_time)
    GROUP BY chain_id, date_trunc('day', block_time)
  )
SELECT
  b.chain_id,
  'feesPaid' AS metric,
  b.time_interval,
  b.bucket,
  CASE WHEN s.bucket IS NULL THEN 0 ELSE s.fees END AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  b.receipts_covered AND coalesce(s.all_priced, true) AS covered
FROM firn.coverage AS b
LEFT JOIN summed AS s ON s.chain_id = b.chain_id AND s.bucket = b.bucket
WHERE b.time_interval = 'day' AND in_buckets(b.chain_id, b.time_interval, b.bucket)
