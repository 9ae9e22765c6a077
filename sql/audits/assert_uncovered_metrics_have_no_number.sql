/*
claim: What is not covered has no number; a number has a divisor above 0.
protects: [mart.metric]
severity: blocks
*/
SELECT chain_id, metric, time_interval, bucket, covered, numerator, denominator
FROM mart.metric
WHERE (NOT covered AND numerator IS NOT NULL)
  OR (numerator IS NULL) <> (denominator IS NULL)
  OR denominator <= 0
