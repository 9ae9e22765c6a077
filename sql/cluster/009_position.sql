-- The height or index of a record in quarantine, where its stream is read by position: one that was accepted leaves a hole there that is known.
ALTER TABLE firn.quarantine ADD COLUMN position bigint;
UPDATE firn.quarantine SET position = (record_key::json ->> 0)::bigint
WHERE stream IN ('node/containers', 'node/evm_blocks', 'node/platform_blocks') AND record_key ~ '^\["\d{1,15}"\]$';
