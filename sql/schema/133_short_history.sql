-- What equals the result before takes its place: rows that say the same go with the next build.
COMMENT ON TABLE firn.audit IS 'What each audit that there is found: one row as long as it finds the same.';
COMMENT ON COLUMN firn.audit."run_id" IS 'The last run that found it.';
COMMENT ON COLUMN firn.audit."checked_at" IS 'When that looked [UTC].';

-- The partitions and audits of the newest 60 runs are kept. Summaries of older ones go without being read: all of them may not fit into memory.
CREATE TEMP TABLE firn_old AS
SELECT run_id, command, started_at, finished_at, exit_code
FROM firn.run WHERE run_id NOT IN (SELECT run_id FROM firn.run ORDER BY started_at DESC LIMIT 60);
DELETE FROM firn.run WHERE run_id IN (SELECT run_id FROM firn_old);
INSERT INTO firn.run BY NAME FROM firn_old;
DROP TABLE firn_old;
COMMENT ON COLUMN firn.run."summary" IS 'What it did, as JSON; partitions and audits of the newest 60 runs alone.';
