-- Statements that bring old rows of a lake up to date, in the words of both engines. A build runs each once all rows of its table are applied.
CREATE TABLE firn.lake_change (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  table_name text NOT NULL,
  statement text NOT NULL
);

-- As sql/schema/151 and 152 do on one machine. Of a number in RLP, one below 128 is its own item, any other has its length before it.
INSERT INTO firn.lake_change (table_name, statement)
SELECT table_name, statement FROM (VALUES
  ('raw.node_containers_c_blocks', (
    SELECT 'UPDATE raw.node_containers_c_blocks SET '
      || string_agg(format(
        $$%s = TRY_CAST(word_quarter(lpad(substr(list_extract(unknown_header_fields, %s), CASE WHEN list_extract(unknown_header_fields, %2$s) < '0x80' THEN 3 ELSE 5 END), 16, '0'), 0) AS BIGINT)$$,
        name, place), ', ')
      || ', unknown_header_fields = list_slice(unknown_header_fields, 7, len(unknown_header_fields)) WHERE target_exponent IS NULL AND len(unknown_header_fields) > 0'
    FROM (VALUES ('target_exponent', 1), ('min_price_exponent', 2), ('settled_height', 3), ('settled_gas_unix', 4), ('settled_gas_numerator', 5), ('settled_excess', 6)) AS c (name, place))),
  ('raw.data_primary_transactions_evm_inputs', 'UPDATE raw.data_primary_transactions_evm_inputs_batches SET "position" = 0 WHERE "position" IS NULL'),
  ('raw.data_primary_transactions_evm_outputs', 'UPDATE raw.data_primary_transactions_evm_outputs_batches SET "position" = 0 WHERE "position" IS NULL')
) AS changes (table_name, statement)
WHERE table_name IN (SELECT table_name FROM firn.batch_file);
