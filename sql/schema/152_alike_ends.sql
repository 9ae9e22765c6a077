-- An import may give an EVM account the same amount twice: rows that are alike are numbered from 0, and there was one of each.
ALTER TABLE IF EXISTS raw.data_primary_transactions_evm_inputs ADD COLUMN IF NOT EXISTS "position" INTEGER DEFAULT 0;
ALTER TABLE IF EXISTS raw.data_primary_transactions_evm_outputs ADD COLUMN IF NOT EXISTS "position" INTEGER DEFAULT 0;
