-- The key that the rows of a table have: those of another one would stand beside the ones that are read again.
CREATE TABLE IF NOT EXISTS firn.table_key (
  table_name text PRIMARY KEY,
  key text NOT NULL
);
