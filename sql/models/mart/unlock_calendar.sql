/*
description: 'What becomes free on which day: stakes that end, and UTXOs whose locktime passes, by the containers held.'
traps: >-
  a stake that ends comes back to the UTXO's own owners and may still be locked by a locktime. What a validator will be rewarded is not in
  here. A stakeable UTXO that is staked counts under staking, not under stakeable_locktime.
kept: view
files: { order: [day, kind, blockchain] }
columns:
  day: Day on which it becomes free [UTC].
  kind: staking, locktime, or stakeable_locktime.
  blockchain: P, X or C.
  utxos: UTXOs.
  amount: AVAX [nAVAX].
  amount_avax: The same in whole coins [AVAX].
*/
WITH
  freed AS (
    SELECT staking_ends AS moment, 'staking' AS kind, blockchain, amount, amount_avax FROM mart.fct_utxo WHERE state = 'staked'
    UNION ALL
    SELECT locked_until, 'locktime', blockchain, amount, amount_avax FROM mart.fct_utxo WHERE state = 'unspent'
    UNION ALL
    SELECT stakeable_until, 'stakeable_locktime', blockchain, amount, amount_avax FROM mart.fct_utxo WHERE state = 'unspent'
  )
SELECT
  CAST(f.moment AS DATE) AS "day",
  f.kind,
  f.blockchain,
  count(*) AS utxos,
  wide_sum(f.amount) AS amount,
  CAST(sum(f.amount_avax) AS DECIMAL(38,18)) AS amount_avax
FROM freed AS f
CROSS JOIN staging.primary_now AS n
WHERE f.amount_avax IS NOT NULL AND f.moment > n.block_time
GROUP BY CAST(f.moment AS DATE), f.kind, f.blockchain
