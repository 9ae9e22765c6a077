-- As sql/schema/163 does on one machine.
INSERT INTO firn.lake_change (table_name, statement)
SELECT table_name, statement FROM (VALUES
  ('raw.data_primary_transactions_l1_validators', 'UPDATE raw.data_primary_transactions_l1_validators_batches SET "position" = 0 WHERE "position" IS NULL'),
  ('raw.data_staking_transactions_l1_validators', 'UPDATE raw.data_staking_transactions_l1_validators_batches SET "position" = 0 WHERE "position" IS NULL')
) AS changes (table_name, statement)
WHERE table_name IN (SELECT table_name FROM firn.batch_file);
