/*
claim: txCount and gasUsed of a day are the sums of its hours, where both are covered.
protects: [mart.metric]
severity: blocks
*/
SELECT d.chain_id, d.metric, d.bucket, d.numerator, coalesce(sum(h.numerator), 0) AS sum_of_hours
FROM mart.metric AS d
LEFT JOIN mart.metric AS h
  ON h.chain_id = d.chain_id AND h.metric = d.metric AND h.time_interval = 'hour' AND date_trunc('day', h.bucket) = d.bucket
WHERE d.metric IN ('txCount', 'gasUsed') AND d.time_interval = 'day' AND d.covered
GROUP BY d.chain_id, d.metric, d.bucket, d.numerator
HAVING coalesce(sum(h.numerator), 0) <> d.numerator AND coalesce(bool_and(h.covered), true)
