-- Models, by lower-case names, that the last build left out: it came to its end without them, and the next one builds each of them whole.
ALTER TABLE firn.build ADD COLUMN behind text[] NOT NULL DEFAULT '{}';
