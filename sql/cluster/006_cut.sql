-- Loads that had not come to all of their tables when the last build began: it read none of their rows.
ALTER TABLE firn.build ADD COLUMN partial bigint[] NOT NULL DEFAULT '{}';
