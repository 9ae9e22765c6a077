-- Whether a chain belongs to what is being built: those of a list, one a line, or all.
CREATE OR REPLACE MACRO in_chains(chain) AS (
  getvariable('firn_chains') IS NULL OR chain IN (SELECT unnest(string_split(getvariable('firn_chains'), chr(10))))
);
