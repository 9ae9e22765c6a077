-- A record that comes again is one entry: known by its own key where that can be read, else by its content.
CREATE TABLE firn.quarantine_entry (
  id BIGINT NOT NULL,
  load_id BIGINT NOT NULL,
  "number" INTEGER NOT NULL,
  stream VARCHAR NOT NULL,
  "partition" VARCHAR NOT NULL,
  reason VARCHAR NOT NULL,
  record VARCHAR NOT NULL,
  record_hash VARCHAR NOT NULL,
  record_key VARCHAR,
  times_seen BIGINT NOT NULL,
  quarantined_at TIMESTAMP NOT NULL,
  last_seen_at TIMESTAMP NOT NULL,
  last_load_id BIGINT NOT NULL,
  replayed_at TIMESTAMP,
  accepted_at TIMESTAMP,
  accepted_because VARCHAR
);

-- Until now every run set a record aside anew. It counts as read only where each of its rows was.
INSERT INTO firn.quarantine_entry
SELECT row_number() OVER (ORDER BY min(load_id), arg_min("number", load_id), record), min(load_id), arg_min("number", load_id), stream, "partition",
  arg_max(reason, load_id), record, sha256(record), NULL, count(*), min(quarantined_at), max(quarantined_at), max(load_id),
  CASE WHEN count(replayed_at) = count(*) THEN max(replayed_at) END, NULL, NULL
FROM firn.quarantine GROUP BY stream, "partition", record;

DROP TABLE firn.quarantine;
ALTER TABLE firn.quarantine_entry RENAME TO quarantine;

COMMENT ON TABLE firn.quarantine IS 'Records that could not be read, whole, one row each however often they came; firn quarantine replay tries them again, firn quarantine accept lets them be.';
COMMENT ON COLUMN firn.quarantine."id" IS 'Number of the entry, by which it is accepted.';
COMMENT ON COLUMN firn.quarantine."load_id" IS 'Load that met it first.';
COMMENT ON COLUMN firn.quarantine."number" IS 'Number of the record in that load.';
COMMENT ON COLUMN firn.quarantine."stream" IS 'Stream.';
COMMENT ON COLUMN firn.quarantine."partition" IS 'Partition of the stream.';
COMMENT ON COLUMN firn.quarantine."reason" IS 'Why it could not be read when it came last.';
COMMENT ON COLUMN firn.quarantine."record" IS 'The record as it came last.';
COMMENT ON COLUMN firn.quarantine."record_hash" IS 'SHA-256 of that text, in hex.';
COMMENT ON COLUMN firn.quarantine."record_key" IS 'Its key, as a JSON list of texts, by which it is known when it comes again; NULL where the key cannot be read, and its content is what it is known by.';
COMMENT ON COLUMN firn.quarantine."times_seen" IS 'How often it came.';
COMMENT ON COLUMN firn.quarantine."quarantined_at" IS 'When it came first [UTC].';
COMMENT ON COLUMN firn.quarantine."last_seen_at" IS 'When it came last [UTC].';
COMMENT ON COLUMN firn.quarantine."last_load_id" IS 'Load that met it last.';
COMMENT ON COLUMN firn.quarantine."replayed_at" IS 'When it was read after all, by a replay or because the source sent it right; NULL until then [UTC].';
COMMENT ON COLUMN firn.quarantine."accepted_at" IS 'When somebody accepted that it is not read; NULL where nobody did [UTC].';
COMMENT ON COLUMN firn.quarantine."accepted_because" IS 'Why, in their words.';
