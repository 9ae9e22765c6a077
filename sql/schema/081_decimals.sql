-- Numbers that sources write as text were doubles in 0.1. Their shortest digits become exact decimals, in every version of a row; what a decimal
-- of 38 digits cannot hold stands as text beside it.

ALTER TABLE IF EXISTS raw.data_address_transactions_erc20_transfers ADD COLUMN erc20_token_price_value_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_address_transactions_erc20_transfers ALTER COLUMN erc20_token_price_value_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(erc20_token_price_value AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM erc20_token_price_value THEN CAST(erc20_token_price_value AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_address_transactions_erc20_transfers ALTER COLUMN erc20_token_price_value TYPE DECIMAL(38,18)
  USING CASE WHEN erc20_token_price_value_text IS NULL THEN TRY_CAST(CAST(erc20_token_price_value AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_transaction_details_erc20_transfers ADD COLUMN erc20_token_price_value_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_transaction_details_erc20_transfers ALTER COLUMN erc20_token_price_value_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(erc20_token_price_value AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM erc20_token_price_value THEN CAST(erc20_token_price_value AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_transaction_details_erc20_transfers ALTER COLUMN erc20_token_price_value TYPE DECIMAL(38,18)
  USING CASE WHEN erc20_token_price_value_text IS NULL THEN TRY_CAST(CAST(erc20_token_price_value AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_token_transfers ADD COLUMN token_price_value_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_token_transfers ALTER COLUMN token_price_value_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(token_price_value AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM token_price_value THEN CAST(token_price_value AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_token_transfers ALTER COLUMN token_price_value TYPE DECIMAL(38,18)
  USING CASE WHEN token_price_value_text IS NULL THEN TRY_CAST(CAST(token_price_value AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_transaction_details ADD COLUMN network_token_details_current_price_value_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_transaction_details ALTER COLUMN network_token_details_current_price_value_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(network_token_details_current_price_value AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM network_token_details_current_price_value THEN CAST(network_token_details_current_price_value AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_transaction_details ALTER COLUMN network_token_details_current_price_value TYPE DECIMAL(38,18)
  USING CASE WHEN network_token_details_current_price_value_text IS NULL THEN TRY_CAST(CAST(network_token_details_current_price_value AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_transaction_details ADD COLUMN network_token_details_historical_price_value_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_transaction_details ALTER COLUMN network_token_details_historical_price_value_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(network_token_details_historical_price_value AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM network_token_details_historical_price_value THEN CAST(network_token_details_historical_price_value AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_transaction_details ALTER COLUMN network_token_details_historical_price_value TYPE DECIMAL(38,18)
  USING CASE WHEN network_token_details_historical_price_value_text IS NULL THEN TRY_CAST(CAST(network_token_details_historical_price_value AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.node_platform_validators ADD COLUMN delegation_fee_text VARCHAR;
ALTER TABLE IF EXISTS raw.node_platform_validators ALTER COLUMN delegation_fee_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(delegation_fee AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM delegation_fee THEN CAST(delegation_fee AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.node_platform_validators ALTER COLUMN delegation_fee TYPE DECIMAL(38,18)
  USING CASE WHEN delegation_fee_text IS NULL THEN TRY_CAST(CAST(delegation_fee AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.node_platform_validators ADD COLUMN uptime_text VARCHAR;
ALTER TABLE IF EXISTS raw.node_platform_validators ALTER COLUMN uptime_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(uptime AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM uptime THEN CAST(uptime AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.node_platform_validators ALTER COLUMN uptime TYPE DECIMAL(38,18)
  USING CASE WHEN uptime_text IS NULL THEN TRY_CAST(CAST(uptime AS VARCHAR) AS DECIMAL(38,18)) END;
