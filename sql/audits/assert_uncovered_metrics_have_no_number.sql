/*
claim: What is not covered has no number; a number has a divisor above 0; a divisor without one says that the value overflows.
protects: [mart.metric]
severity: blocks
*/
SELECT chain_id, metric, time_interval, bucket, covered, numerator, denominator, overflows
FROM mart.metric
WHERE (NOT covered AND denominator IS NOT NULL)
  OR (numerator IS NOT NULL AND denominator IS NULL)
  OR (numerator IS NULL AND denominator IS NOT NULL) <> overflows
  OR denominator <= 0
