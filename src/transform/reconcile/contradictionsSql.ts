/**
 * SQL for the days on which the served series contradict each other, of those that are settled in both: before, one of the two may just be behind. A row
 * with their number, `days`.
 */
export const contradictionsSql = `
  SELECT count(*) AS "days" FROM mart.served_consistency AS c
  JOIN mart.reconciliation AS level ON level.chain_id = c.chain_id AND level.bucket = c.bucket
  JOIN mart.reconciliation AS daily ON daily.chain_id = c.chain_id AND daily.bucket = c.bucket
  WHERE NOT c.agrees
    AND level.metric = 'cumulativeTxCount' AND level.time_interval = 'day' AND level.served_settled
    AND daily.metric = 'txCount' AND daily.time_interval = 'day' AND daily.served_settled`;
