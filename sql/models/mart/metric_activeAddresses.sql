/*
description: distinct addresses in the from or to field of a transaction, or of an ERC-20, ERC-721 or ERC-1155 transfer log.
traps: >-
  counts of shorter buckets do not add up to those of longer ones; the zero address counts; the operator of an ERC-1155 transfer and a
  created contract do not; call frames do not (they would nearly triple it).
metric:
  rank: 2
  title: Active addresses
  unit: addresses
  intervals: [hour, day, week, month]
  needs: receipts
  variants:
    zero_excluded: without the zero address
    without_1155: without ERC-1155 transfers
    with_operator: their operator too
    from_traces: from and to of every call frame instead
  contributors: |
    SELECT address, count(*) AS hours, bool_or(tx_from) AS tx_from, bool_or(tx_to) AS tx_to, bool_or(token_from) AS token_from,
      bool_or(token_to) AS token_to, bool_or(multi_token_from) AS multi_token_from, bool_or(multi_token_to) AS multi_token_to
    FROM mart.address_hour WHERE chain_id = $chain AND "hour" >= $from AND "hour" < $until AND (tx_from OR tx_to OR token_from OR token_to OR multi_token_from OR multi_token_to)
    GROUP BY address ORDER BY hours DESC, address ASC LIMIT 10
*/
WITH
  -- Kept as the scans that they are: a bound on the time passes through to them.
  sight AS NOT MATERIALIZED (
    SELECT chain_id, 'hour' AS time_interval, "hour" AS bucket, address,
      tx_from, tx_to, token_from, token_to, multi_token_from, multi_token_to, multi_token_operator, trace_from, trace_to
    FROM mart.address_hour
    UNION ALL
    SELECT chain_id, 'day', bucket, address,
      tx_from, tx_to, token_from, token_to, multi_token_from, multi_token_to, multi_token_operator, trace_from, trace_to
    FROM mart.address_day
  ),
  active AS NOT MATERIALIZED (
    SELECT chain_id, time_interval, bucket, address
    FROM sight
    WHERE CASE variant()
      WHEN 'zero_excluded' THEN address <> '0x0000000000000000000000000000000000000000'
        AND (tx_from OR tx_to OR token_from OR token_to OR multi_token_from OR multi_token_to)
      WHEN 'without_1155' THEN tx_from OR tx_to OR token_from OR token_to
      WHEN 'with_operator' THEN tx_from OR tx_to OR token_from OR token_to OR multi_token_from OR multi_token_to OR multi_token_operator
      WHEN 'from_traces' THEN trace_from OR trace_to
      ELSE tx_from OR tx_to OR token_from OR token_to OR multi_token_from OR multi_token_to
    END
  ),
  -- An address has one row an hour and one a day: only over weeks and months must it be told from itself.
  counted AS (
    SELECT chain_id, time_interval, bucket, count(*) AS addresses
    FROM active
    WHERE in_buckets(chain_id, time_interval, bucket)
    GROUP BY chain_id, time_interval, bucket
    UNION ALL
    SELECT chain_id, 'week', date_trunc('week', bucket), count(DISTINCT address)
    FROM active
    WHERE time_interval = 'day' AND in_buckets(chain_id, 'week', bucket)
    GROUP BY chain_id, date_trunc('week', bucket)
    UNION ALL
    SELECT chain_id, 'month', date_trunc('month', bucket), count(DISTINCT address)
    FROM active
    WHERE time_interval = 'day' AND in_buckets(chain_id, 'month', bucket)
    GROUP BY chain_id, date_trunc('month', bucket)
  )
SELECT
  b.chain_id,
  'activeAddresses' AS metric,
  b.time_interval,
  b.bucket,
  CAST(coalesce(c.addresses, 0) AS DECIMAL(38,0)) AS numerator,
  CAST(1 AS DECIMAL(38,0)) AS denominator,
  b.receipts_covered AND (variant() <> 'from_traces' OR b.traces_covered) AS covered
FROM firn.coverage AS b
LEFT JOIN counted AS c ON c.chain_id = b.chain_id AND c.time_interval = b.time_interval AND c.bucket = b.bucket
WHERE in_buckets(b.chain_id, b.time_interval, b.bucket)
