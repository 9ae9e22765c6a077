/*
description: distinct addresses (of activeAddresses) from genesis to the end of the day.
traps: 'an address that comes back is not new: count first sights, never the sum of daily counts.'
metric:
  rank: 10
  title: Addresses so far
  unit: addresses
  intervals: [day]
  needs: receipts since genesis
  variants:
    zero_excluded: without the zero address
    without_1155: without ERC-1155 transfers
    with_operator: their operator too
    from_traces: from and to of every call frame instead
  contributors: |
    SELECT address, first_seen FROM (
      SELECT address, least(coalesce(by_transaction_or_token, by_multi_token), coalesce(by_multi_token, by_transaction_or_token)) AS first_seen
      FROM mart.address_first_seen WHERE chain_id = $chain
    ) AS f
    WHERE first_seen >= $from AND first_seen < $until ORDER BY first_seen ASC, address ASC LIMIT 10
*/
WITH
  first_seen AS (
    SELECT
      chain_id,
      address,
      CASE variant()
        WHEN 'without_1155' THEN by_transaction_or_token
        WHEN 'with_operator' THEN least(
          coalesce(by_transaction_or_token, by_multi_token, by_operator),
          coalesce(by_multi_token, by_operator, by_transaction_or_token),
          coalesce(by_operator, by_transaction_or_token, by_multi_token)
        )
        WHEN 'from_traces' THEN by_trace
        ELSE least(coalesce(by_transaction_or_token, by_multi_token), coalesce(by_multi_token, by_transaction_or_token))
      END AS first_seen
    FROM mart.address_first_seen
    WHERE variant() <> 'zero_excluded' OR address <> '0x0000000000000000000000000000000000000000'
  ),
  fresh AS (
    SELECT chain_id, date_trunc('day', first_seen) AS bucket, count(*) AS addresses
    FROM first_seen
    WHERE first_seen IS NOT NULL
    GROUP BY chain_id, date_trunc('day', first_seen)
  ),
  running AS (
    SELECT
      b.chain_id,
      b.time_interval,
      b.bucket,
      CAST(sum(coalesce(f.addresses, 0)) OVER (
        PARTITION BY b.chain_id ORDER BY b.bucket ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS DECIMAL(38,0)) AS addresses,
      b.receipts_covered_since_genesis AND (variant() <> 'from_traces' OR b.traces_covered_since_genesis) AS covered
    FROM firn.coverage AS b
    LEFT JOIN fresh AS f ON f.chain_id = b.chain_id AND f.bucket = b.bucket
    WHERE b.time_interval = 'day'
  )
SELECT
  chain_id,
  'cumulativeAddresses' AS metric,
  time_interval,
  bucket,
  addresses AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  covered
FROM running
WHERE from_bucket(chain_id, time_interval, bucket)
