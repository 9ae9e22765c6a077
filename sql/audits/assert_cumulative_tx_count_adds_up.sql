/*
claim: cumulativeTxCount grows every day by that day's txCount.
protects: [mart.metric]
severity: blocks
*/
SELECT today.chain_id, today.bucket, today.numerator - yesterday.numerator AS growth, daily.numerator AS tx_count
FROM mart.metric AS today
JOIN mart.metric AS yesterday
  ON yesterday.chain_id = today.chain_id AND yesterday.metric = today.metric AND yesterday.bucket = today.bucket - INTERVAL '1' DAY
JOIN mart.metric AS daily
  ON daily.chain_id = today.chain_id AND daily.metric = 'txCount' AND daily.time_interval = 'day' AND daily.bucket = today.bucket
WHERE today.metric = 'cumulativeTxCount' AND today.numerator - yesterday.numerator <> daily.numerator
