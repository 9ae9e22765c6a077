-- Positions that a source does not have and that were passed over because the configuration allows it. `to_position` below
-- `from_position`: nothing is missing between two positions, yet what stands there does not follow what stands before it.
CREATE TABLE firn.gap (
  stream VARCHAR NOT NULL,
  "partition" VARCHAR NOT NULL,
  from_position BIGINT NOT NULL,
  to_position BIGINT NOT NULL,
  load_id BIGINT NOT NULL
);

-- What `firn verify --evidence` proved of each block. Every link is one of `proven`, `broken`, `not_covered` (rows are missing) and
-- `not_applicable` (the chain, the fork or the block has no such thing).
CREATE TABLE firn.evidence (
  chain_id VARCHAR NOT NULL,
  "number" BIGINT NOT NULL,
  block_hash VARCHAR NOT NULL,
  signature VARCHAR NOT NULL,
  container VARCHAR NOT NULL,
  header VARCHAR NOT NULL,
  parent VARCHAR NOT NULL,
  transactions VARCHAR NOT NULL,
  senders VARCHAR NOT NULL,
  receipts VARCHAR NOT NULL,
  prices VARCHAR NOT NULL,
  gas VARCHAR NOT NULL,
  bloom VARCHAR NOT NULL,
  atomic_data VARCHAR NOT NULL,
  withdrawals VARCHAR NOT NULL,
  -- The first thing that breaks, with both values; NULL where nothing does.
  broken VARCHAR,
  proven_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE firn.evidence IS 'What was proven of each block, from its container''s signature down to the rows that metrics count.';
COMMENT ON COLUMN firn.evidence.chain_id IS 'EVM chain id; for the P- and X-Chain the blockchain id.';
COMMENT ON COLUMN firn.evidence."number" IS 'Height.';
COMMENT ON COLUMN firn.evidence.block_hash IS 'Block hash; for the P- and X-Chain the block id.';
COMMENT ON COLUMN firn.evidence.signature IS 'Proposer''s signature of the container.';
COMMENT ON COLUMN firn.evidence.container IS 'Container id from the bytes, and the container before it named as parent.';
COMMENT ON COLUMN firn.evidence.header IS 'Hash of the header made of the row, and the header inside the container.';
COMMENT ON COLUMN firn.evidence.parent IS 'Hash of the block before.';
COMMENT ON COLUMN firn.evidence.transactions IS 'Root of the transactions made of the rows, and their hashes.';
COMMENT ON COLUMN firn.evidence.senders IS 'Senders recovered from the signatures.';
COMMENT ON COLUMN firn.evidence.receipts IS 'Root of the receipts made of the rows of receipts and logs.';
COMMENT ON COLUMN firn.evidence.prices IS 'Effective gas prices and addresses of created contracts, which no root covers, computed anew.';
COMMENT ON COLUMN firn.evidence.gas IS 'Sum of the receipts'' gas against the header.';
COMMENT ON COLUMN firn.evidence.bloom IS 'Bloom filter of the log rows against the header and the receipts.';
COMMENT ON COLUMN firn.evidence.atomic_data IS 'Hash of the atomic data (C-Chain).';
COMMENT ON COLUMN firn.evidence.withdrawals IS 'Root of the withdrawals, where a header has one.';
COMMENT ON COLUMN firn.evidence.broken IS 'First thing that breaks: field, what was found, what the header says.';
COMMENT ON COLUMN firn.evidence.proven_at IS 'When [UTC].';
