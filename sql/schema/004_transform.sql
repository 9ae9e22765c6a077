-- Up to which load the incremental tables hold the raw ones, and with which models they were built.
CREATE TABLE firn.build_state (
  load_id BIGINT NOT NULL,
  -- Of the models' SQL; another one builds everything again.
  models_hash VARCHAR NOT NULL,
  -- Of their files; another one only writes views and comments again.
  files_hash VARCHAR NOT NULL,
  built_at TIMESTAMP NOT NULL
);

-- Up to which load each audit has passed.
CREATE TABLE firn.audit_state (
  name VARCHAR NOT NULL,
  load_id BIGINT NOT NULL
);

-- One verdict a chain, metric, interval and bucket: the number recomputed here against the one served.
CREATE TABLE mart.reconciliation (
  chain_id VARCHAR NOT NULL,
  metric VARCHAR NOT NULL,
  time_interval VARCHAR NOT NULL,
  bucket TIMESTAMP NOT NULL,
  own_numerator DECIMAL(38,0),
  own_denominator DECIMAL(38,0),
  own_value DOUBLE,
  served_text VARCHAR,
  served_value DOUBLE,
  verdict VARCHAR NOT NULL,
  variant VARCHAR,
  scale DECIMAL(38,0),
  difference_text VARCHAR,
  served_settled BOOLEAN NOT NULL,
  own_state VARCHAR,
  first_block BIGINT,
  last_block BIGINT,
  fetched_at TIMESTAMP,
  sql_hash VARCHAR,
  note VARCHAR,
  query VARCHAR NOT NULL
);
COMMENT ON TABLE mart.reconciliation IS 'Verdict on every served bucket against the number recomputed from blocks.';
COMMENT ON COLUMN mart.reconciliation.chain_id IS 'EVM chain id, or total, mainnet, testnet.';
COMMENT ON COLUMN mart.reconciliation.metric IS 'Name of the metric as the API spells it.';
COMMENT ON COLUMN mart.reconciliation.time_interval IS 'hour, day, week or month.';
COMMENT ON COLUMN mart.reconciliation.bucket IS 'Start of the bucket [UTC].';
COMMENT ON COLUMN mart.reconciliation.own_numerator IS 'Recomputed value times own_denominator; NULL where there is no value or it is not covered.';
COMMENT ON COLUMN mart.reconciliation.own_denominator IS '1 for counts and sums.';
COMMENT ON COLUMN mart.reconciliation.own_value IS 'Nearest double of own_numerator / own_denominator, for plots.';
COMMENT ON COLUMN mart.reconciliation.served_text IS 'Served value, digit by digit; NULL where none was served.';
COMMENT ON COLUMN mart.reconciliation.served_value IS 'Served value as a double, for plots.';
COMMENT ON COLUMN mart.reconciliation.verdict IS 'equal, equal_rounded, equal_as_double, offset_constant, equal_delta, variant_match, scale_match, served_provisional, served_week_underfilled, served_empty, served_missing, own_incomplete, no_own or differs.';
COMMENT ON COLUMN mart.reconciliation.variant IS 'Reading of the definition that explains the whole series.';
COMMENT ON COLUMN mart.reconciliation.scale IS 'Factor by which own values are larger than the served ones in the whole series.';
COMMENT ON COLUMN mart.reconciliation.difference_text IS 'Served minus own: exact digits for whole numbers, else the shortest double.';
COMMENT ON COLUMN mart.reconciliation.served_settled IS 'A newer bucket is served, and this one is 72 h old or two fetches 24 h apart agree.';
COMMENT ON COLUMN mart.reconciliation.own_state IS 'open, closed or settled, by own data alone.';
COMMENT ON COLUMN mart.reconciliation.first_block IS 'First block of the bucket.';
COMMENT ON COLUMN mart.reconciliation.last_block IS 'Last block of the bucket.';
COMMENT ON COLUMN mart.reconciliation.fetched_at IS 'When the served value was first seen [UTC].';
COMMENT ON COLUMN mart.reconciliation.sql_hash IS 'Version of the metric: hash of its SQL and of the models under it.';
COMMENT ON COLUMN mart.reconciliation.note IS 'What else there is to say, in words.';
COMMENT ON COLUMN mart.reconciliation.query IS 'SQL that shows both numbers again.';

-- The served series against itself: cumulativeTxCount(d) - cumulativeTxCount(d-1) must be txCount(d).
CREATE TABLE mart.served_consistency (
  chain_id VARCHAR NOT NULL,
  bucket TIMESTAMP NOT NULL,
  served_difference VARCHAR NOT NULL,
  served_tx_count VARCHAR NOT NULL,
  agrees BOOLEAN NOT NULL
);
COMMENT ON TABLE mart.served_consistency IS 'Served series against itself: the daily difference of cumulativeTxCount must be txCount.';

-- How far behind the chain each served series is, and how long its buckets kept changing after they closed.
CREATE TABLE mart.served_freshness (
  chain_id VARCHAR NOT NULL,
  metric VARCHAR NOT NULL,
  time_interval VARCHAR NOT NULL,
  newest_bucket TIMESTAMP,
  newest_block_time TIMESTAMP,
  lag_seconds BIGINT,
  revised_buckets BIGINT NOT NULL,
  settled_after_seconds BIGINT
);
COMMENT ON TABLE mart.served_freshness IS 'Lag of each served series behind the chain, and how long its values kept changing.';
