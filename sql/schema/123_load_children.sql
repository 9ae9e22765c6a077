-- Rows of a stream are those of its own table; those of its children are told apart.
ALTER TABLE firn.load ADD COLUMN IF NOT EXISTS child_rows_written BIGINT;
COMMENT ON COLUMN firn.load.child_rows_written IS 'How many of rows_written are rows of child tables; NULL in loads of firn 0.1.';
