-- A read that brought nothing is no load.
COMMENT ON TABLE firn.load IS 'One row a batch that was committed and brought something: rows, a record for the quarantine, or another position.';
COMMENT ON COLUMN firn.checkpoint."updated_at" IS 'When it was last read on from there, with or without anything new [UTC].';
