-- Headers of the C-Chain from Helicon on: versions that had no columns for these members kept each as its RLP. A number below 128 is its own item, any
-- other has its length before it.
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ADD COLUMN IF NOT EXISTS target_exponent BIGINT;
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ADD COLUMN IF NOT EXISTS min_price_exponent BIGINT;
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ADD COLUMN IF NOT EXISTS settled_height BIGINT;
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ADD COLUMN IF NOT EXISTS settled_gas_unix BIGINT;
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ADD COLUMN IF NOT EXISTS settled_gas_numerator BIGINT;
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ADD COLUMN IF NOT EXISTS settled_excess BIGINT;
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ALTER COLUMN target_exponent TYPE BIGINT
  USING coalesce(target_exponent, TRY_CAST('0x0' || substr(unknown_header_fields[1], CASE WHEN unknown_header_fields[1] < '0x80' THEN 3 ELSE 5 END) AS BIGINT));
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ALTER COLUMN min_price_exponent TYPE BIGINT
  USING coalesce(min_price_exponent, TRY_CAST('0x0' || substr(unknown_header_fields[2], CASE WHEN unknown_header_fields[2] < '0x80' THEN 3 ELSE 5 END) AS BIGINT));
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ALTER COLUMN settled_height TYPE BIGINT
  USING coalesce(settled_height, TRY_CAST('0x0' || substr(unknown_header_fields[3], CASE WHEN unknown_header_fields[3] < '0x80' THEN 3 ELSE 5 END) AS BIGINT));
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ALTER COLUMN settled_gas_unix TYPE BIGINT
  USING coalesce(settled_gas_unix, TRY_CAST('0x0' || substr(unknown_header_fields[4], CASE WHEN unknown_header_fields[4] < '0x80' THEN 3 ELSE 5 END) AS BIGINT));
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ALTER COLUMN settled_gas_numerator TYPE BIGINT
  USING coalesce(settled_gas_numerator, TRY_CAST('0x0' || substr(unknown_header_fields[5], CASE WHEN unknown_header_fields[5] < '0x80' THEN 3 ELSE 5 END) AS BIGINT));
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ALTER COLUMN settled_excess TYPE BIGINT
  USING coalesce(settled_excess, TRY_CAST('0x0' || substr(unknown_header_fields[6], CASE WHEN unknown_header_fields[6] < '0x80' THEN 3 ELSE 5 END) AS BIGINT));
ALTER TABLE IF EXISTS raw.node_containers_c_blocks ALTER COLUMN unknown_header_fields TYPE VARCHAR[]
  USING unknown_header_fields[7:];
