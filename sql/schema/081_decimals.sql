-- Shares, places and prices were doubles in 0.1. Their shortest digits become exact decimals, in every version of a row; what a decimal of
-- 38 digits cannot hold stands as text beside it.

ALTER TABLE IF EXISTS raw.node_l1_validators ADD COLUMN uptime_percentage_text VARCHAR;
ALTER TABLE IF EXISTS raw.node_l1_validators ALTER COLUMN uptime_percentage_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(uptime_percentage AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM uptime_percentage THEN CAST(uptime_percentage AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.node_l1_validators ALTER COLUMN uptime_percentage TYPE DECIMAL(38,18)
  USING CASE WHEN uptime_percentage_text IS NULL THEN TRY_CAST(CAST(uptime_percentage AS VARCHAR) AS DECIMAL(38,18)) END;

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

ALTER TABLE IF EXISTS raw.data_address_transactions_erc20_transfers ADD COLUMN erc20_token_price_value_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_address_transactions_erc20_transfers ALTER COLUMN erc20_token_price_value_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(erc20_token_price_value AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM erc20_token_price_value THEN CAST(erc20_token_price_value AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_address_transactions_erc20_transfers ALTER COLUMN erc20_token_price_value TYPE DECIMAL(38,18)
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

ALTER TABLE IF EXISTS raw.data_transaction_details_erc20_transfers ADD COLUMN erc20_token_price_value_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_transaction_details_erc20_transfers ALTER COLUMN erc20_token_price_value_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(erc20_token_price_value AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM erc20_token_price_value THEN CAST(erc20_token_price_value AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_transaction_details_erc20_transfers ALTER COLUMN erc20_token_price_value TYPE DECIMAL(38,18)
  USING CASE WHEN erc20_token_price_value_text IS NULL THEN TRY_CAST(CAST(erc20_token_price_value AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validators ADD COLUMN stake_percentage_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN stake_percentage_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(stake_percentage AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM stake_percentage THEN CAST(stake_percentage AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN stake_percentage TYPE DECIMAL(38,18)
  USING CASE WHEN stake_percentage_text IS NULL THEN TRY_CAST(CAST(stake_percentage AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validators ADD COLUMN uptime_performance_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN uptime_performance_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(uptime_performance AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM uptime_performance THEN CAST(uptime_performance AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN uptime_performance TYPE DECIMAL(38,18)
  USING CASE WHEN uptime_performance_text IS NULL THEN TRY_CAST(CAST(uptime_performance AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validators ADD COLUMN validator_health_reachability_percent_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN validator_health_reachability_percent_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(validator_health_reachability_percent AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM validator_health_reachability_percent THEN CAST(validator_health_reachability_percent AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN validator_health_reachability_percent TYPE DECIMAL(38,18)
  USING CASE WHEN validator_health_reachability_percent_text IS NULL THEN TRY_CAST(CAST(validator_health_reachability_percent AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validators ADD COLUMN validator_health_benched_p_chain_requests_percent_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN validator_health_benched_p_chain_requests_percent_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(validator_health_benched_p_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM validator_health_benched_p_chain_requests_percent THEN CAST(validator_health_benched_p_chain_requests_percent AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN validator_health_benched_p_chain_requests_percent TYPE DECIMAL(38,18)
  USING CASE WHEN validator_health_benched_p_chain_requests_percent_text IS NULL THEN TRY_CAST(CAST(validator_health_benched_p_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validators ADD COLUMN validator_health_benched_x_chain_requests_percent_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN validator_health_benched_x_chain_requests_percent_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(validator_health_benched_x_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM validator_health_benched_x_chain_requests_percent THEN CAST(validator_health_benched_x_chain_requests_percent AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN validator_health_benched_x_chain_requests_percent TYPE DECIMAL(38,18)
  USING CASE WHEN validator_health_benched_x_chain_requests_percent_text IS NULL THEN TRY_CAST(CAST(validator_health_benched_x_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validators ADD COLUMN validator_health_benched_c_chain_requests_percent_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN validator_health_benched_c_chain_requests_percent_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(validator_health_benched_c_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM validator_health_benched_c_chain_requests_percent THEN CAST(validator_health_benched_c_chain_requests_percent AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN validator_health_benched_c_chain_requests_percent TYPE DECIMAL(38,18)
  USING CASE WHEN validator_health_benched_c_chain_requests_percent_text IS NULL THEN TRY_CAST(CAST(validator_health_benched_c_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validators ADD COLUMN geolocation_latitude_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN geolocation_latitude_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(geolocation_latitude AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM geolocation_latitude THEN CAST(geolocation_latitude AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN geolocation_latitude TYPE DECIMAL(38,18)
  USING CASE WHEN geolocation_latitude_text IS NULL THEN TRY_CAST(CAST(geolocation_latitude AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validators ADD COLUMN geolocation_longitude_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN geolocation_longitude_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(geolocation_longitude AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM geolocation_longitude THEN CAST(geolocation_longitude AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validators ALTER COLUMN geolocation_longitude TYPE DECIMAL(38,18)
  USING CASE WHEN geolocation_longitude_text IS NULL THEN TRY_CAST(CAST(geolocation_longitude AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validator_details ADD COLUMN stake_percentage_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN stake_percentage_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(stake_percentage AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM stake_percentage THEN CAST(stake_percentage AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN stake_percentage TYPE DECIMAL(38,18)
  USING CASE WHEN stake_percentage_text IS NULL THEN TRY_CAST(CAST(stake_percentage AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validator_details ADD COLUMN uptime_performance_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN uptime_performance_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(uptime_performance AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM uptime_performance THEN CAST(uptime_performance AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN uptime_performance TYPE DECIMAL(38,18)
  USING CASE WHEN uptime_performance_text IS NULL THEN TRY_CAST(CAST(uptime_performance AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validator_details ADD COLUMN validator_health_reachability_percent_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN validator_health_reachability_percent_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(validator_health_reachability_percent AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM validator_health_reachability_percent THEN CAST(validator_health_reachability_percent AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN validator_health_reachability_percent TYPE DECIMAL(38,18)
  USING CASE WHEN validator_health_reachability_percent_text IS NULL THEN TRY_CAST(CAST(validator_health_reachability_percent AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validator_details ADD COLUMN validator_health_benched_p_chain_requests_percent_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN validator_health_benched_p_chain_requests_percent_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(validator_health_benched_p_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM validator_health_benched_p_chain_requests_percent THEN CAST(validator_health_benched_p_chain_requests_percent AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN validator_health_benched_p_chain_requests_percent TYPE DECIMAL(38,18)
  USING CASE WHEN validator_health_benched_p_chain_requests_percent_text IS NULL THEN TRY_CAST(CAST(validator_health_benched_p_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validator_details ADD COLUMN validator_health_benched_x_chain_requests_percent_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN validator_health_benched_x_chain_requests_percent_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(validator_health_benched_x_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM validator_health_benched_x_chain_requests_percent THEN CAST(validator_health_benched_x_chain_requests_percent AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN validator_health_benched_x_chain_requests_percent TYPE DECIMAL(38,18)
  USING CASE WHEN validator_health_benched_x_chain_requests_percent_text IS NULL THEN TRY_CAST(CAST(validator_health_benched_x_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validator_details ADD COLUMN validator_health_benched_c_chain_requests_percent_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN validator_health_benched_c_chain_requests_percent_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(validator_health_benched_c_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM validator_health_benched_c_chain_requests_percent THEN CAST(validator_health_benched_c_chain_requests_percent AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN validator_health_benched_c_chain_requests_percent TYPE DECIMAL(38,18)
  USING CASE WHEN validator_health_benched_c_chain_requests_percent_text IS NULL THEN TRY_CAST(CAST(validator_health_benched_c_chain_requests_percent AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validator_details ADD COLUMN geolocation_latitude_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN geolocation_latitude_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(geolocation_latitude AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM geolocation_latitude THEN CAST(geolocation_latitude AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN geolocation_latitude TYPE DECIMAL(38,18)
  USING CASE WHEN geolocation_latitude_text IS NULL THEN TRY_CAST(CAST(geolocation_latitude AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_validator_details ADD COLUMN geolocation_longitude_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN geolocation_longitude_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(geolocation_longitude AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM geolocation_longitude THEN CAST(geolocation_longitude AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_validator_details ALTER COLUMN geolocation_longitude TYPE DECIMAL(38,18)
  USING CASE WHEN geolocation_longitude_text IS NULL THEN TRY_CAST(CAST(geolocation_longitude AS VARCHAR) AS DECIMAL(38,18)) END;

ALTER TABLE IF EXISTS raw.data_pending_rewards ADD COLUMN progress_text VARCHAR;
ALTER TABLE IF EXISTS raw.data_pending_rewards ALTER COLUMN progress_text TYPE VARCHAR
  USING CASE WHEN CAST(TRY_CAST(CAST(progress AS VARCHAR) AS DECIMAL(38,18)) AS DOUBLE) IS DISTINCT FROM progress THEN CAST(progress AS VARCHAR) END;
ALTER TABLE IF EXISTS raw.data_pending_rewards ALTER COLUMN progress TYPE DECIMAL(38,18)
  USING CASE WHEN progress_text IS NULL THEN TRY_CAST(CAST(progress AS VARCHAR) AS DECIMAL(38,18)) END;
