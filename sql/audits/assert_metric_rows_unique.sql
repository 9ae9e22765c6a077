/*
claim: One row a chain, metric, interval and bucket.
protects: [mart.metric]
severity: blocks
*/
SELECT chain_id, metric, time_interval, bucket, count(*) AS "rows"
FROM mart.metric
GROUP BY chain_id, metric, time_interval, bucket
HAVING count(*) > 1
