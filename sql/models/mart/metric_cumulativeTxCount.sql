-- cumulativeTxCount: transactions from genesis to the end of the day, failed ones included.
-- Unit: transactions. Interval: day. Needs every block since genesis.
-- Traps: a day without a block carries the level on.
-- Variants: with_atomic (atomic transactions of the C-Chain too)
-- Kept as: view
WITH
  running AS (
    SELECT
      chain_id,
      time_interval,
      bucket,
      CAST(sum(CASE variant() WHEN 'with_atomic' THEN transactions + atomic_transactions ELSE transactions END) OVER (
        PARTITION BY chain_id ORDER BY bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38,0)) AS transactions,
      blocks_covered_since_genesis
    FROM firn.coverage
    WHERE time_interval = 'day'
  )
SELECT
  chain_id,
  'cumulativeTxCount' AS metric,
  time_interval,
  bucket,
  transactions AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  blocks_covered_since_genesis AS covered
FROM running
WHERE from_bucket(chain_id, time_interval, bucket)
