/*
description: "The time of each deployer's first creation, by what counts as one: the state that cumulativeDeployers carries on from."
kept: earliest by chain_id, creator
files: { order: [chain_id, creator] }
columns:
  chain_id: EVM chain id.
  creator: Account or contract that creates.
  by_any: First creation frame, failed ones included [UTC].
  by_sound_frame: First frame without an error of its own [UTC].
  by_lasting_frame: First frame that neither failed nor lies in one that did [UTC].
  by_sound_tx: First frame in a transaction that succeeded [UTC].
  by_receipt: First successful creation that the receipt tells [UTC].
*/
SELECT
  chain_id,
  creator,
  min(CASE WHEN by_trace THEN block_time END) AS by_any,
  min(CASE WHEN by_trace AND NOT own_error THEN block_time END) AS by_sound_frame,
  min(CASE WHEN by_trace AND NOT reverted THEN block_time END) AS by_lasting_frame,
  min(CASE WHEN by_trace AND NOT tx_failed THEN block_time END) AS by_sound_tx,
  min(CASE WHEN outermost AND NOT tx_failed THEN block_time END) AS by_receipt
FROM mart.fct_contract_creation
WHERE (by_trace OR (outermost AND NOT tx_failed)) AND seen_since(chain_id, block_time)
GROUP BY chain_id, creator
