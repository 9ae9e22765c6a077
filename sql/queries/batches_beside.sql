-- Batches of which a build reads nothing, by table, as stretches between which lies no other batch of that table: those of loads that it does not show,
-- because their rows have not reached all of their tables, and the files of a warehouse that was moved here, as long as it shows not all of the loads
-- from before, whose rows they have. $1: the loads that it shows, {tables}: the tables that there are.
WITH RECURSIVE {tables}, beside AS (
  SELECT load_id FROM firn.load WHERE built_at IS NULL AND load_id <> ALL($1::bigint[])
),
numbered AS (
  SELECT name AS table_name, batch_id, place,
    batch_id IN (SELECT load_id FROM beside) OR NOT EXISTS (SELECT 1 FROM firn.load WHERE load_id = batch_id) AS is_beside
  FROM tables CROSS JOIN LATERAL (
    SELECT batch_id, row_number() OVER (ORDER BY batch_id) AS place FROM firn.batch_file
    WHERE table_name = name AND batch_id >= (SELECT min(load_id) FROM beside)
  ) AS of_table
),
parted AS (
  SELECT table_name, batch_id, place - row_number() OVER (PARTITION BY table_name ORDER BY batch_id) AS stretch FROM numbered WHERE is_beside
)
SELECT table_name AS "table", min(batch_id) AS "first", max(batch_id) AS "last" FROM parted GROUP BY table_name, stretch ORDER BY 1, 2
