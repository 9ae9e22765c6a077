-- A transaction may list a validation twice: rows of one are numbered from 0, and there was one of each.
ALTER TABLE IF EXISTS raw.data_primary_transactions_l1_validators ADD COLUMN IF NOT EXISTS "position" INTEGER DEFAULT 0;
ALTER TABLE IF EXISTS raw.data_staking_transactions_l1_validators ADD COLUMN IF NOT EXISTS "position" INTEGER DEFAULT 0;
