/*
claim: txCount and gasUsed of a day are the sums of its hours, where both are covered.
protects: [mart.metric]
severity: blocks
*/
SELECT d.chain_id, d.metric, d.bucket, d.numerator, sum(h.numerator) AS sum_of_hours
FROM mart.metric AS d
JOIN mart.metric AS h
  ON h.chain_id = d.chain_id AND h.metric = d.metric AND h.time_interval = 'hour' AND date_trunc('day', h.bucket) = d.bucket
WHERE d.metric IN ('txCount', 'gasUsed') AND d.time_interval = 'day' AND d.covered
GROUP BY d.chain_id, d.metric, d.bucket, d.numerator
HAVING sum(h.numerator) <> d.numerator AND bool_and(h.covered)
