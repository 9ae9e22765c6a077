/*
description: >-
  One row an address a day in which it took part in anything, and how: mart.address_hour without the hours. Distinct addresses of days,
  weeks and months are counted from here: a month has a sixth of the rows, or less.
traps: 'an address of several days counts once in their week: count distinct addresses, never rows.'
kept: table by bucket
files: { chain: chain_id, time: bucket, order: [chain_id, time_interval, bucket, address] }
columns:
  chain_id: EVM chain id.
  time_interval: Always day.
  bucket: Start of the day [UTC].
  address: 20 bytes, lower case.
  tx_from: Sent a transaction.
  tx_to: Received one.
  token_from: '`from` of an ERC-20 or ERC-721 transfer.'
  token_to: '`to` of one.'
  multi_token_operator: Operator of an ERC-1155 transfer.
  multi_token_from: '`from` of one.'
  multi_token_to: '`to` of one.'
  trace_from: '`from` of a call frame.'
  trace_to: '`to` of one.'
*/
SELECT
  chain_id,
  'day' AS time_interval,
  date_trunc('day', "hour") AS bucket,
  address,
  bool_or(tx_from) AS tx_from,
  bool_or(tx_to) AS tx_to,
  bool_or(token_from) AS token_from,
  bool_or(token_to) AS token_to,
  bool_or(multi_token_operator) AS multi_token_operator,
  bool_or(multi_token_from) AS multi_token_from,
  bool_or(multi_token_to) AS multi_token_to,
  bool_or(trace_from) AS trace_from,
  bool_or(trace_to) AS trace_to
FROM mart.address_hour
WHERE in_buckets(chain_id, 'day', "hour")
GROUP BY chain_id, date_trunc('day', "hour"), address
