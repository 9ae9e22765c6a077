-- Whether a checkpoint says a number under a name: what a backfill that was interrupted has left to read ends there (`last`), or begins (`next`). Members
-- stand in whatever order: one machine and a cluster write them differently.
CREATE OR REPLACE MACRO position_says(said, named, place) AS replace(said, '}', ',') LIKE '%"' || named || '":' || CAST(place AS VARCHAR) || ',%';
