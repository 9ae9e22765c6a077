-- Until when the tables made of rows from before {cut} stay as they are, by chain: the hour after the first block that stays, whose predecessor went.
CREATE OR REPLACE TEMP TABLE firn_frozen_now AS
WITH
  newest AS (
    SELECT chain_id, date_trunc('hour', max(block_time)) AS newest_hour FROM mart.fct_block GROUP BY chain_id
  ),
  staying AS (
    SELECT n.chain_id, least({cut}, date_trunc('month', max(f.block_time))) AS since
    FROM newest AS n JOIN mart.fct_block AS f ON f.chain_id = n.chain_id AND f.block_time < n.newest_hour
    WHERE n.chain_id NOT IN {waiting}
      AND (n.chain_id IN {lost} OR n.chain_id IN (SELECT c.chain_id FROM firn.chain AS c WHERE c.alias || '/block' IN {lost}))
    GROUP BY n.chain_id
  )
SELECT s.chain_id, greatest(
  (SELECT max(until) FROM firn.frozen AS old WHERE old.chain_id = s.chain_id),
  date_trunc('hour', min(f.block_time) FILTER (WHERE f.block_time >= s.since)) + INTERVAL 1 HOUR
) AS until
FROM mart.fct_block AS f JOIN staying AS s ON s.chain_id = f.chain_id
GROUP BY s.chain_id HAVING min(f.block_time) < any_value(s.since);
DELETE FROM firn.frozen WHERE chain_id IN (SELECT chain_id FROM temp.firn_frozen_now);
INSERT INTO firn.frozen SELECT chain_id, until FROM temp.firn_frozen_now;
DROP TABLE temp.firn_frozen_now
