-- Of years there are millions of loads and files: what is asked of a partition, or of the last hour, does not read all of them.
CREATE INDEX IF NOT EXISTS load_of_partition ON firn.load (stream, partition, load_id) INCLUDE (committed_at);
CREATE INDEX IF NOT EXISTS load_committed ON firn.load (committed_at);
-- Each file leaves the index of those that wait, which workers read every second. By default PostgreSQL sweeps it only once a fifth of all rows changed,
-- and not at all where these lie on few pages.
ALTER TABLE firn.batch_file SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000, vacuum_index_cleanup = on);
