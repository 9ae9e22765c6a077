-- Until when the tables made of rows from before {cut} stay as they are, by chain.
CREATE OR REPLACE TEMP TABLE firn_frozen_now AS
SELECT chain_id, greatest(
  (SELECT max(until) FROM firn.frozen AS old WHERE old.chain_id = f.chain_id),
  coalesce(
    date_trunc('hour', min(block_time) FILTER (WHERE block_time >= {cut})) + INTERVAL 1 HOUR,
    date_trunc('hour', max(block_time))
  )
) AS until
FROM mart.fct_block AS f GROUP BY chain_id HAVING min(block_time) FILTER (WHERE "number" > 0) < {cut};
DELETE FROM firn.frozen WHERE chain_id IN (SELECT chain_id FROM temp.firn_frozen_now);
INSERT INTO firn.frozen SELECT chain_id, until FROM temp.firn_frozen_now;
DROP TABLE temp.firn_frozen_now
