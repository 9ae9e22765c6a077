-- Positions that are read again because a part was taken of some of them: a stretch beside `whole`. What had a number by then is to be in the lake
-- before it is read.
ALTER TABLE firn.part ADD COLUMN after_batch bigint;
