-- Whether a transaction, a UTXO, a P-Chain block or a day belongs to what is being built: a list, which DuckDB looks up by a join at the scan.
CREATE OR REPLACE MACRO in_transactions(tx) AS (
  getvariable('firn_tx_id') IS NULL OR tx IN (SELECT unnest(CAST(getvariable('firn_tx_id') AS VARCHAR[])))
);
CREATE OR REPLACE MACRO in_utxos(utxo) AS (
  getvariable('firn_utxo_id') IS NULL OR utxo IN (SELECT unnest(CAST(getvariable('firn_utxo_id') AS VARCHAR[])))
);
CREATE OR REPLACE MACRO in_heights(height) AS (
  getvariable('firn_block_height') IS NULL OR height IN (SELECT unnest(CAST(getvariable('firn_block_height') AS BIGINT[])))
);
CREATE OR REPLACE MACRO in_days(moment) AS (
  getvariable('firn_day') IS NULL OR CAST(moment AS DATE) IN (SELECT unnest(CAST(getvariable('firn_day') AS DATE[])))
);
