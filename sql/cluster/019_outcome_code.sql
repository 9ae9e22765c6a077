-- The kind of failure of a part that failed: what is to be tried again is told otherwise than what somebody must mend.
ALTER TABLE firn.part ADD COLUMN code text;
