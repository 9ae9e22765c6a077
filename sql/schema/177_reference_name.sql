-- A file that no table can be called after stands there, too.
COMMENT ON COLUMN firn.reference.name IS 'Name of the table: that of the file in snake_case. The whole name of a file that no table can be called after.';
