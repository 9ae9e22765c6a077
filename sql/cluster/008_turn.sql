-- When a part of it was last handed out: partitions take turns, however many stretches one of them has.
ALTER TABLE firn.partition ADD COLUMN leased_at timestamptz;
