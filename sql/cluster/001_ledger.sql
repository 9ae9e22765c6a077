-- Who has read what. Bucket and catalog carry the id of the warehouse too: the three belong together, or nothing is written.
CREATE TABLE firn.warehouse (
  is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  made_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO firn.warehouse DEFAULT VALUES;

-- One set of parameters of a stream. Of streams by position: where everything before was read, and the first position that is in no part.
CREATE TABLE firn.partition (
  stream text NOT NULL,
  partition text NOT NULL,
  joined_to bigint,
  divided_to bigint,
  -- The row before joined_to, as far as a source is asked whether it still holds it.
  tip jsonb,
  PRIMARY KEY (stream, partition)
);

-- What one worker reads at a time: a partition as a whole, or positions of one. Nobody holds it once lease_until has passed.
CREATE TABLE firn.part (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  stream text NOT NULL,
  partition text NOT NULL,
  first_position bigint,
  last_position bigint,
  cursor text,
  epoch bigint NOT NULL DEFAULT 0,
  owner text,
  lease_until timestamptz NOT NULL DEFAULT '-infinity',
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_done boolean NOT NULL DEFAULT false,
  -- What the first row names as the one before it, and the last row that was read.
  parent text,
  tip jsonb,
  problem text,
  FOREIGN KEY (stream, partition) REFERENCES firn.partition,
  CHECK ((first_position IS NULL) = (last_position IS NULL))
);
CREATE INDEX part_due ON firn.part (due_at) WHERE NOT is_done;
CREATE UNIQUE INDEX part_place ON firn.part (stream, partition, first_position) NULLS NOT DISTINCT;

-- Batches, each committed once, and the files that the engine is still to apply.
CREATE SEQUENCE firn.batch_id;
CREATE TABLE firn.batch_file (
  batch_id bigint NOT NULL,
  table_name text NOT NULL,
  uri text NOT NULL UNIQUE,
  rows bigint NOT NULL,
  bytes bigint NOT NULL,
  sha256 text NOT NULL,
  committed_at timestamptz NOT NULL DEFAULT now(),
  applied_at timestamptz,
  PRIMARY KEY (table_name, batch_id)
);
CREATE INDEX batch_file_pending ON firn.batch_file (table_name, batch_id) WHERE applied_at IS NULL;
CREATE INDEX batch_file_applied ON firn.batch_file (applied_at) WHERE applied_at IS NOT NULL;

-- The same rows that one machine keeps.
CREATE TABLE firn.load (
  load_id bigint PRIMARY KEY,
  run_id text NOT NULL,
  stream text NOT NULL,
  partition text NOT NULL,
  request text,
  pages integer NOT NULL,
  rows_in bigint NOT NULL,
  rows_written bigint NOT NULL,
  rows_quarantined bigint NOT NULL,
  bytes bigint NOT NULL,
  position_from text,
  position_to text,
  committed_at timestamp NOT NULL,
  requests bigint,
  child_rows_written bigint
);

CREATE TABLE firn.quarantine (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  load_id bigint NOT NULL,
  number integer NOT NULL,
  stream text NOT NULL,
  partition text NOT NULL,
  reason text NOT NULL,
  record text NOT NULL,
  record_hash text NOT NULL,
  record_key text,
  times_seen bigint NOT NULL,
  quarantined_at timestamp NOT NULL,
  last_seen_at timestamp NOT NULL,
  last_load_id bigint NOT NULL,
  replayed_at timestamp,
  accepted_at timestamp,
  accepted_because text
);
-- Known by its key, or by its content. Keys can be longer than an index entry.
CREATE UNIQUE INDEX quarantine_record ON firn.quarantine (stream, partition, md5(coalesce(record_key, record_hash)));

CREATE TABLE firn.schema_change (
  stream text NOT NULL,
  member text NOT NULL,
  example text NOT NULL,
  load_id bigint NOT NULL,
  seen_at timestamp NOT NULL,
  PRIMARY KEY (stream, member)
);

CREATE TABLE firn.gap (
  stream text NOT NULL,
  partition text NOT NULL,
  from_position bigint NOT NULL,
  to_position bigint NOT NULL,
  load_id bigint NOT NULL
);

CREATE TABLE firn.network (
  is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
  network_id integer,
  network text NOT NULL,
  hrp text NOT NULL,
  pinned_at timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')
);
CREATE TABLE firn.chain (
  chain_id text PRIMARY KEY,
  name text NOT NULL,
  blockchain_id text,
  alias text NOT NULL,
  vm text NOT NULL,
  genesis_hash text,
  pinned_at timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')
);

-- What readers see: a snapshot of every table.
CREATE TABLE firn.version (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  snapshots jsonb NOT NULL,
  published_at timestamptz NOT NULL DEFAULT now()
);
