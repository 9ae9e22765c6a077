-- What became of a part when it was last read (done, failed, stopped, not_offered), how many keys a lookup left because of its budget, and when
-- it was last read to its source's end.
ALTER TABLE firn.part ADD COLUMN outcome text;
ALTER TABLE firn.part ADD COLUMN behind bigint;
ALTER TABLE firn.part ADD COLUMN looked_at timestamptz;
ALTER TABLE firn.part ADD COLUMN read_at timestamptz;

-- The first position of which only a part was taken, as one machine keeps it beside the next one.
ALTER TABLE firn.partition ADD COLUMN part_from bigint;
