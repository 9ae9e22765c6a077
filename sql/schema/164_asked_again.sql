-- Blocks whose traces a node failed to give are asked for again, too: how often is noted beside the keys of lookups.
COMMENT ON TABLE firn.lookup IS 'Keys that a lookup stream has asked for, and positions at which a stream asks again for what its source failed to give, each once.';
COMMENT ON COLUMN firn.lookup."key" IS 'What was asked for: a key, or a position.';
COMMENT ON COLUMN firn.lookup."outcome" IS 'What came of it: found, not_found, refused or unconfirmed; of a position in how many runs it was asked for again.';
