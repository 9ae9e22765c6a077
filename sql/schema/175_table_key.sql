-- Rows of a table that had another key would stay beside those that are read again: only this tells which one they have.
CREATE TABLE IF NOT EXISTS main.firn_table_key (
  "table" VARCHAR NOT NULL,
  "key" VARCHAR NOT NULL
);
