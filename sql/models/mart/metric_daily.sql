-- The 17 metrics of a chain side by side, one row a day, for BI tools. The long form, other intervals and the proof stand in mart.metric.
-- Traps: NULL means that there is no value or that the day is not covered (mart.metric tells which), never 0. Means and rates are the nearest
-- doubles of exact quotients, for plots: their exact terms are numerator and denominator in mart.metric.
-- Kept as: table
-- Files: in order of chain_id, day
-- Columns:
--   chain_id: EVM chain id, such as 43114.
--   day: Day [UTC].
--   state: open, closed or settled, by the newest block held.
--   tx_count: EVM transactions (txCount).
--   active_addresses: Distinct addresses in transactions and token transfers (activeAddresses).
--   active_senders: Distinct senders (activeSenders).
--   gas_used: Gas used (gasUsed) [gas].
--   fees_paid: Fees paid (feesPaid) [wei].
--   contracts: Contracts created; needs traces (contracts).
--   deployers: Distinct creators of contracts; needs traces (deployers).
--   max_gas_price: Highest effective gas price (maxGasPrice) [wei].
--   cumulative_tx_count: EVM transactions since genesis (cumulativeTxCount).
--   cumulative_addresses: Distinct addresses since genesis (cumulativeAddresses).
--   cumulative_contracts: Contracts since genesis (cumulativeContracts).
--   cumulative_deployers: Distinct creators since genesis (cumulativeDeployers).
--   fees_paid_avax: Fees paid in whole native coins [coins].
--   avg_gas_price: Mean effective gas price (avgGasPrice), rounded [wei].
--   avg_gps: Mean gas a second (avgGps), rounded [gas/s].
--   max_gps: Highest gas a second of a block (maxGps), rounded [gas/s].
--   avg_tps: Mean transactions a second (avgTps), rounded [1/s].
--   max_tps: Highest transactions a second of a block (maxTps), rounded [1/s].
SELECT
  chain_id,
  CAST(bucket AS DATE) AS "day",
  max(state) AS state,
  max(CASE WHEN metric = 'txCount' THEN numerator END) AS tx_count,
  max(CASE WHEN metric = 'activeAddresses' THEN numerator END) AS active_addresses,
  max(CASE WHEN metric = 'activeSenders' THEN numerator END) AS active_senders,
  max(CASE WHEN metric = 'gasUsed' THEN numerator END) AS gas_used,
  max(CASE WHEN metric = 'feesPaid' THEN numerator END) AS fees_paid,
  max(CASE WHEN metric = 'contracts' THEN numerator END) AS contracts,
  max(CASE WHEN metric = 'deployers' THEN numerator END) AS deployers,
  max(CASE WHEN metric = 'maxGasPrice' THEN numerator END) AS max_gas_price,
  max(CASE WHEN metric = 'cumulativeTxCount' THEN numerator END) AS cumulative_tx_count,
  max(CASE WHEN metric = 'cumulativeAddresses' THEN numerator END) AS cumulative_addresses,
  max(CASE WHEN metric = 'cumulativeContracts' THEN numerator END) AS cumulative_contracts,
  max(CASE WHEN metric = 'cumulativeDeployers' THEN numerator END) AS cumulative_deployers,
  wei_in_coins(max(CASE WHEN metric = 'feesPaid' THEN numerator END)) AS fees_paid_avax,
  max(CASE WHEN metric = 'avgGasPrice' THEN "value" END) AS avg_gas_price,
  max(CASE WHEN metric = 'avgGps' THEN "value" END) AS avg_gps,
  max(CASE WHEN metric = 'maxGps' THEN "value" END) AS max_gps,
  max(CASE WHEN metric = 'avgTps' THEN "value" END) AS avg_tps,
  max(CASE WHEN metric = 'maxTps' THEN "value" END) AS max_tps
FROM mart.metric
WHERE time_interval = 'day'
GROUP BY chain_id, CAST(bucket AS DATE)
