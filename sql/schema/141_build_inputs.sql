-- Tables that are built whole stay as they are where nothing beneath them changed.
ALTER TABLE firn.build_state ADD COLUMN IF NOT EXISTS "inputs" VARCHAR;
COMMENT ON COLUMN firn.build_state."inputs" IS 'What the relations held of which tables are built whole, as JSON.';
