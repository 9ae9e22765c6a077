-- A sync reads on from its checkpoint: what an earlier `from` adds lies below it, and only this tells that it is earlier.
CREATE TABLE IF NOT EXISTS firn.begun (
  stream VARCHAR NOT NULL,
  "partition" VARCHAR NOT NULL,
  "from" VARCHAR NOT NULL
);

COMMENT ON TABLE firn.begun IS 'From where on partitions were read, as the configuration or a backfill said it.';
COMMENT ON COLUMN firn.begun."stream" IS 'Stream.';
COMMENT ON COLUMN firn.begun."partition" IS 'Partition of the stream.';
COMMENT ON COLUMN firn.begun."from" IS 'Bound: a height, a date, or an age.';
