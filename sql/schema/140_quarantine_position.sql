-- A record that was accepted leaves a hole at its position that is known: `firn.gap` has it as long as it stays accepted and unread.
ALTER TABLE firn.quarantine ADD COLUMN IF NOT EXISTS "position" BIGINT;
UPDATE firn.quarantine SET "position" = TRY_CAST(record_key ->> '$[0]' AS BIGINT)
WHERE stream IN ('node/containers', 'node/evm_blocks', 'node/platform_blocks');
COMMENT ON COLUMN firn.quarantine."position" IS 'Its height or index, where the stream is read by position; NULL elsewhere.';
COMMENT ON TABLE firn.gap IS 'Positions that are known to be missing: a source lacks them and the configuration allows it, or their record is in quarantine and was accepted.';
COMMENT ON COLUMN firn.gap."load_id" IS 'Load that passed them over, or that met the record.';
