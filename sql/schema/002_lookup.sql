-- Keys that a lookup stream has asked for, each once, with what came of it.
CREATE TABLE firn.lookup (
  stream VARCHAR NOT NULL,
  "partition" VARCHAR NOT NULL,
  "key" VARCHAR NOT NULL,
  outcome VARCHAR NOT NULL,
  load_id BIGINT NOT NULL
);
