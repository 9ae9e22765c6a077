-- What is read beside what is new: `backfill`, or `again 2026-11-03..2026-11-05`. It has a cursor of its own, and ends with its part.
ALTER TABLE firn.part ADD COLUMN beside text;
DROP INDEX firn.part_place;
CREATE UNIQUE INDEX part_place ON firn.part (stream, partition, first_position, beside) NULLS NOT DISTINCT;
