-- Of runs before the newest thousand a line each is kept. Their summaries go without being read, as once before.
CREATE TEMP TABLE firn_old AS
SELECT run_id, command, started_at, finished_at, exit_code
FROM firn.run WHERE run_id NOT IN (SELECT run_id FROM firn.run ORDER BY started_at DESC LIMIT 1000);
DELETE FROM firn.run WHERE run_id IN (SELECT run_id FROM firn_old);
INSERT INTO firn.run BY NAME FROM firn_old;
DROP TABLE firn_old;
COMMENT ON COLUMN firn.run."summary" IS 'What it did, as JSON, of the newest 1,000 runs; partitions, audits and verdicts by series of the newest 60 alone.';
