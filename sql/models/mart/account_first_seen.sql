/*
description: 'When an address first did what only an account can do (send a transaction), or only a contract: be created, emit a log, call.'
kept: earliest by chain_id, address
files: { order: [chain_id, address] }
columns:
  chain_id: EVM chain id, such as 43114.
  address: 20 bytes, lower case.
  by_sending: Hour of the first transaction it sent [UTC].
  as_contract: First of by_creation, by_log and by_calling [UTC].
  by_creation: First creation that gave the contract its code [UTC].
  by_log: First log it emitted [UTC].
  by_calling: First call from inside a transaction that was not undone [UTC].
*/
WITH
  sight AS (
    SELECT chain_id, address, "hour" AS moment, 1 AS kind FROM mart.address_hour WHERE tx_from
    UNION ALL
    SELECT chain_id, contract_address, block_time, 2 FROM mart.fct_contract_creation WHERE contract_address IS NOT NULL AND NOT reverted AND NOT tx_failed
    UNION ALL
    SELECT chain_id, address, block_time, 3 FROM staging.evm_log
    UNION ALL
    -- The init code of a creation that fails calls, too, from an address that never has code.
    SELECT chain_id, from_address, block_time, 4 FROM staging.evm_trace WHERE depth > 0 AND NOT reverted
  )
SELECT
  chain_id,
  address,
  min(CASE WHEN kind = 1 THEN moment END) AS by_sending,
  min(CASE WHEN kind > 1 THEN moment END) AS as_contract,
  min(CASE WHEN kind = 2 THEN moment END) AS by_creation,
  min(CASE WHEN kind = 3 THEN moment END) AS by_log,
  min(CASE WHEN kind = 4 THEN moment END) AS by_calling
FROM sight
WHERE seen_since(chain_id, moment)
GROUP BY chain_id, address
