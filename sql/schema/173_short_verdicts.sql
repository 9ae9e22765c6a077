-- Verdicts by series, too, are told of the newest 60 runs alone. Summaries of older ones go without being read, as once before.
CREATE TEMP TABLE firn_old AS
SELECT run_id, command, started_at, finished_at, exit_code
FROM firn.run WHERE run_id NOT IN (SELECT run_id FROM firn.run ORDER BY started_at DESC LIMIT 60);
DELETE FROM firn.run WHERE run_id IN (SELECT run_id FROM firn_old);
INSERT INTO firn.run BY NAME FROM firn_old;
DROP TABLE firn_old;
COMMENT ON COLUMN firn.run."summary" IS 'What it did, as JSON; partitions, audits and verdicts by series of the newest 60 runs alone.';
COMMENT ON TABLE firn.audit IS 'What each audit that there is found, one row as long as it finds the same: the newest 500 of each.';
