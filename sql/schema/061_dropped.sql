-- Old raw rows that were dropped (`keep`, `firn state drop`), and until when the tables made of them stay as they are: their
-- hours cannot be computed again, and are carried over when models change.
CREATE TABLE firn.dropped (
  "table" VARCHAR NOT NULL,
  before TIMESTAMP NOT NULL,
  "rows" BIGINT NOT NULL,
  dropped_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE firn.dropped IS 'Raw rows that were dropped because of their age.';
COMMENT ON COLUMN firn.dropped."table" IS 'Table that held them.';
COMMENT ON COLUMN firn.dropped.before IS 'Rows from before this moment were dropped [UTC].';
COMMENT ON COLUMN firn.dropped."rows" IS 'How many they were.';
COMMENT ON COLUMN firn.dropped.dropped_at IS 'When [UTC].';

CREATE TABLE firn.frozen (
  chain_id VARCHAR NOT NULL,
  until TIMESTAMP NOT NULL
);
COMMENT ON TABLE firn.frozen IS 'Chains whose old raw rows were dropped: what was computed of them stays.';
COMMENT ON COLUMN firn.frozen.chain_id IS 'EVM chain id.';
COMMENT ON COLUMN firn.frozen.until IS 'Hours before this moment are not computed again [UTC].';
