-- What the next read of a partition compares with (the rows that are current, of streams that keep a history): files of the stage.
ALTER TABLE firn.part ADD COLUMN memory jsonb NOT NULL DEFAULT '[]';

-- Keys that a lookup stream has asked for, each once, with what came of it.
CREATE TABLE firn.lookup (
  stream text NOT NULL,
  partition text NOT NULL,
  key text NOT NULL,
  outcome text NOT NULL,
  load_id bigint NOT NULL,
  PRIMARY KEY (stream, partition, key)
);

-- Work that one process at a time does, such as applying the files of a table. Nobody does it once lease_until has passed.
CREATE TABLE firn.task (
  name text PRIMARY KEY,
  epoch bigint NOT NULL DEFAULT 0,
  lease_until timestamptz NOT NULL DEFAULT '-infinity'
);
