-- Which firn built the tables last, and on which machine: of two with other models each would build everything anew, in turns.
ALTER TABLE firn.build ADD COLUMN firn_version text;
ALTER TABLE firn.build ADD COLUMN machine text;
