-- What the newest version was made of: what did not change since needs no look at its rows when the next one is published.
CREATE TABLE IF NOT EXISTS firn.publish_state (
  "version" BIGINT NOT NULL,
  run_id VARCHAR NOT NULL,
  load_id BIGINT NOT NULL
);
COMMENT ON TABLE firn.publish_state IS 'What the newest version was made of.';
COMMENT ON COLUMN firn.publish_state."version" IS 'Version.';
COMMENT ON COLUMN firn.publish_state.run_id IS 'Run that made it.';
COMMENT ON COLUMN firn.publish_state.load_id IS 'Newest load in it.';
CREATE TABLE IF NOT EXISTS firn.rebuilt (
  relation VARCHAR NOT NULL,
  chain_id VARCHAR,
  "from" TIMESTAMP,
  until TIMESTAMP
);
COMMENT ON TABLE firn.rebuilt IS 'What builds changed in the relations of models since a version was published.';
COMMENT ON COLUMN firn.rebuilt.relation IS 'Table or view.';
COMMENT ON COLUMN firn.rebuilt.chain_id IS 'EVM chain id; NULL where any of its rows may have changed.';
COMMENT ON COLUMN firn.rebuilt."from" IS 'Start of the hours that changed [UTC].';
COMMENT ON COLUMN firn.rebuilt.until IS 'Their end [UTC].';
