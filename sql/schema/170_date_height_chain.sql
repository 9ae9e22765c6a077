-- Each index of a node counts its own positions. What one bracket said of all of them is of none.
COMMENT ON COLUMN firn.date_height.chain IS 'EVM chain id; without one the stream, with the values of the partition where it has any.';
DELETE FROM firn.date_height WHERE chain = 'node/containers';
