-- By the name under which a table is kept, as stretches.
ALTER TABLE firn.build RENAME COLUMN partial TO loads;
ALTER TABLE firn.build ADD COLUMN partial jsonb NOT NULL DEFAULT '{}';
UPDATE firn.build SET partial = (
  SELECT coalesce(jsonb_object_agg(name, stretches), '{}') FROM (
    SELECT table_name || suffix AS name, jsonb_agg(jsonb_build_array(batch_id, batch_id) ORDER BY batch_id) AS stretches
    FROM firn.batch_file CROSS JOIN (VALUES (''), ('_batches')) AS kept (suffix) WHERE batch_id = ANY(loads) GROUP BY 1
  ) AS of_tables
);
ALTER TABLE firn.build DROP COLUMN loads;
