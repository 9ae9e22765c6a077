-- Positions that a source does not have and that were passed over because the configuration allows it.
CREATE TABLE firn.gap (
  stream VARCHAR NOT NULL,
  "partition" VARCHAR NOT NULL,
  from_position BIGINT NOT NULL,
  to_position BIGINT NOT NULL,
  load_id BIGINT NOT NULL
);

-- What `firn verify --evidence` proved of each block, by the rules of the fork that the block belongs to.
-- A verdict is `proven`, `broken`, `not_covered` (rows are missing) or `not_applicable` (no such thing at this fork).
CREATE TABLE firn.evidence (
  chain_id VARCHAR NOT NULL,
  "number" BIGINT NOT NULL,
  block_hash VARCHAR NOT NULL,
  signature VARCHAR NOT NULL,
  container_id VARCHAR NOT NULL,
  block_hash_verdict VARCHAR NOT NULL,
  transactions_root VARCHAR NOT NULL,
  receipts_root VARCHAR NOT NULL,
  logs_bloom VARCHAR NOT NULL,
  ext_data_hash VARCHAR NOT NULL,
  withdrawals_root VARCHAR NOT NULL,
  gas_used VARCHAR NOT NULL,
  -- The first thing that breaks, with both values; NULL where nothing does.
  broken VARCHAR,
  proven_at TIMESTAMP NOT NULL
);
