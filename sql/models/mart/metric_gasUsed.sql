/*
description: >-
  gas used by the transactions: the sum of the headers' gas, which is that of the receipts (where receipts are held and do not add up to
  it, the bucket is not covered); of blocks executed after they were accepted (C-Chain from Helicon on), that of the receipts.
traps: gas of atomic transactions (extDataGasUsed of the C-Chain) is outside.
metric:
  rank: 4
  title: Gas used
  unit: gas
  intervals: [hour, day, week, month]
  needs: blocks
  contributors: |
    SELECT "number", block_time, gas_used, seconds_since_previous, hash FROM mart.fct_block
    WHERE "number" > 0 AND chain_id = $chain AND block_time >= $from AND block_time < $until ORDER BY gas_used DESC, "number" ASC LIMIT 10
*/
SELECT
  chain_id,
  'gasUsed' AS metric,
  time_interval,
  bucket,
  header_gas AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  gas_covered AS covered
FROM firn.coverage
WHERE in_buckets(chain_id, time_interval, bucket)
