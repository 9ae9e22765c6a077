-- Which loads the models show, and what the last build that came to its end was made of.
ALTER TABLE firn.load ADD COLUMN built_at timestamptz;
CREATE INDEX load_unbuilt ON firn.load (load_id) WHERE built_at IS NULL;
CREATE TABLE firn.build (
  is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
  models_hash text NOT NULL,
  snapshots jsonb NOT NULL,
  -- Whether no build began since: what the tables hold fits together.
  is_whole boolean NOT NULL,
  built_at timestamptz NOT NULL DEFAULT now()
);

-- What firn's own small tables in the lake hold, as a hash: what is there already is not written again.
CREATE TABLE firn.own_table (
  name text PRIMARY KEY,
  content text NOT NULL
);
