-- Heights of dates: where a bound of the configuration that is a date lies on each chain, as far as rows have shown. Found once, by looks of one
-- partition, for all partitions of the chain.
CREATE TABLE IF NOT EXISTS firn.date_height (
  chain VARCHAR NOT NULL,
  "date" TIMESTAMP NOT NULL,
  older_height BIGINT,
  older_time TIMESTAMP,
  height BIGINT,
  "time" TIMESTAMP
);
COMMENT ON TABLE firn.date_height IS 'Between which blocks of a chain a date of the configuration lies, as far as rows have shown.';
COMMENT ON COLUMN firn.date_height.chain IS 'EVM chain id, or the stream that reads the only chain of its kind.';
COMMENT ON COLUMN firn.date_height."date" IS 'The date [UTC].';
COMMENT ON COLUMN firn.date_height.older_height IS 'Highest block known to be older.';
COMMENT ON COLUMN firn.date_height.older_time IS 'Its time [UTC].';
COMMENT ON COLUMN firn.date_height.height IS 'Lowest block known not to be older.';
COMMENT ON COLUMN firn.date_height."time" IS 'Its time [UTC].';
