-- Who does the work of a name, and since when: what `firn status` says, and whoever has to wait.
ALTER TABLE firn.task ADD COLUMN owner text;
ALTER TABLE firn.task ADD COLUMN begun_at timestamptz;

-- The columns of staged files, each list once: a firn that does not know all of them leaves a file to one that does.
CREATE TABLE firn.file_columns (
  hash text PRIMARY KEY,
  -- A JSON list.
  names text NOT NULL
);
ALTER TABLE firn.batch_file ADD COLUMN columns_hash text REFERENCES firn.file_columns;
