/*
claim: Days of a metric follow each other without a gap, also where they hold no block.
protects: [mart.metric]
severity: blocks
*/
SELECT chain_id, metric, count(*) AS days, min(bucket) AS first_day, max(bucket) AS last_day
FROM mart.metric
WHERE time_interval = 'day'
GROUP BY chain_id, metric
HAVING seconds_between(min(bucket), max(bucket)) <> (count(*) - 1) * 86400
