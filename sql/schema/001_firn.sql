-- The bookkeeping of the warehouse. Raw tables follow from the streams' own schemas and are made when the state is opened.
CREATE SCHEMA IF NOT EXISTS firn;
CREATE SCHEMA IF NOT EXISTS raw;
CREATE SCHEMA IF NOT EXISTS staging;
CREATE SCHEMA IF NOT EXISTS mart;

-- One network a warehouse, pinned by the first sync.
CREATE TABLE firn.network (
  network_id INTEGER,
  network VARCHAR NOT NULL,
  hrp VARCHAR NOT NULL,
  pinned_at TIMESTAMP NOT NULL
);

CREATE TABLE firn.chain (
  chain_id VARCHAR NOT NULL,
  name VARCHAR NOT NULL,
  blockchain_id VARCHAR,
  alias VARCHAR NOT NULL,
  vm VARCHAR NOT NULL,
  genesis_hash VARCHAR,
  pinned_at TIMESTAMP NOT NULL
);

CREATE TABLE firn.run (
  run_id VARCHAR NOT NULL,
  command VARCHAR NOT NULL,
  started_at TIMESTAMP NOT NULL,
  finished_at TIMESTAMP,
  exit_code INTEGER,
  summary VARCHAR
);

-- One row a committed batch. `position_from` and `position_to` are the checkpoint before and after.
CREATE TABLE firn.load (
  load_id BIGINT NOT NULL,
  run_id VARCHAR NOT NULL,
  stream VARCHAR NOT NULL,
  "partition" VARCHAR NOT NULL,
  request VARCHAR,
  pages INTEGER NOT NULL,
  rows_in BIGINT NOT NULL,
  rows_written BIGINT NOT NULL,
  rows_quarantined BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  position_from VARCHAR,
  position_to VARCHAR,
  committed_at TIMESTAMP NOT NULL
);

CREATE TABLE firn.checkpoint (
  stream VARCHAR NOT NULL,
  "partition" VARCHAR NOT NULL,
  "position" VARCHAR NOT NULL,
  load_id BIGINT NOT NULL,
  updated_at TIMESTAMP NOT NULL
);

-- Records that could not be read, whole, with the reason; `firn quarantine replay` tries them again.
CREATE TABLE firn.quarantine (
  load_id BIGINT NOT NULL,
  "number" INTEGER NOT NULL,
  stream VARCHAR NOT NULL,
  "partition" VARCHAR NOT NULL,
  reason VARCHAR NOT NULL,
  record VARCHAR NOT NULL,
  quarantined_at TIMESTAMP NOT NULL,
  replayed_at TIMESTAMP
);

-- First sight of a member that a schema does not know.
CREATE TABLE firn.schema_change (
  stream VARCHAR NOT NULL,
  member VARCHAR NOT NULL,
  example VARCHAR NOT NULL,
  load_id BIGINT NOT NULL,
  seen_at TIMESTAMP NOT NULL
);

-- Compute units spent by UTC day, so that a daily quota holds across runs.
CREATE TABLE firn.quota (
  source VARCHAR NOT NULL,
  "day" DATE NOT NULL,
  units BIGINT NOT NULL
);

-- Models as they were built last: a metric's version is the hash of its SQL.
CREATE TABLE firn.model (
  name VARCHAR NOT NULL,
  sql_hash VARCHAR NOT NULL,
  built_at TIMESTAMP NOT NULL,
  rows BIGINT NOT NULL,
  seconds DOUBLE NOT NULL
);

CREATE TABLE firn.audit (
  name VARCHAR NOT NULL,
  run_id VARCHAR NOT NULL,
  checked_at TIMESTAMP NOT NULL,
  failed_rows BIGINT NOT NULL,
  example VARCHAR
);
