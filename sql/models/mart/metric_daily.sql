/*
description: >-
  The metrics of a chain side by side, one row a day, for BI tools. The long form, other intervals and the proof stand in mart.metric.
traps: >-
  NULL means that there is no value or that the day is not covered (mart.metric tells which), never 0. Means and rates are the nearest
  doubles of exact quotients, for plots: their exact terms are numerator and denominator in mart.metric.
kept: table
files: { order: [chain_id, day] }
columns:
  chain_id: EVM chain id, such as 43114.
  day: Day [UTC].
  state: open, closed or settled, by the newest block held.
  '{column} of each whole metric': '{title} ({metric}) [{unit}].'
  fees_paid_avax: Fees paid in whole native coins [coins].
  '{column} of each quotient': '{title} ({metric}), rounded [{unit}].'
*/
SELECT
  chain_id,
  CAST(bucket AS DATE) AS "day",
  max(state) AS state,
  max(CASE WHEN metric = '{metric}' THEN numerator END) AS {column}, -- each whole metric
  wei_in_coins(max(CASE WHEN metric = 'feesPaid' THEN numerator END)) AS fees_paid_avax,
  max(CASE WHEN metric = '{metric}' THEN "value" END) AS {column} -- each quotient
FROM mart.metric
WHERE time_interval = 'day'
GROUP BY chain_id, CAST(bucket AS DATE)
