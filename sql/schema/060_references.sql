-- The user's own tables: every CSV of the warehouse's `refs` folder becomes one, to join.
CREATE SCHEMA IF NOT EXISTS refs;

CREATE TABLE firn.reference (
  name VARCHAR NOT NULL,
  file VARCHAR NOT NULL,
  -- Of the file as it was loaded last; NULL where it never was.
  sha256 VARCHAR,
  "rows" BIGINT,
  loaded_at TIMESTAMP,
  -- Why the file as it is now could not be loaded; the table stays as it was.
  problem VARCHAR
);
COMMENT ON TABLE firn.reference IS 'Tables of the schema refs: one for each CSV of the folder refs.';
COMMENT ON COLUMN firn.reference.name IS 'Name of the table: that of the file in snake_case.';
COMMENT ON COLUMN firn.reference.file IS 'File in the folder refs.';
COMMENT ON COLUMN firn.reference.sha256 IS 'SHA-256 of the file as it was loaded.';
COMMENT ON COLUMN firn.reference.rows IS 'Rows of the table.';
COMMENT ON COLUMN firn.reference.loaded_at IS 'When it was loaded [UTC].';
COMMENT ON COLUMN firn.reference.problem IS 'Why the file as it is now could not be loaded; the table is still the one before.';
