/*
description: >-
  What can be spent from which day on: stakes that end, and UTXOs whose locktimes pass, by the containers held. Every UTXO counts once, on the day
  on which the last of what holds it ends.
traps: >-
  a stake that ends comes back as the UTXO that was staked, with its locktimes. What a validator will be rewarded is not in here, nor is the stake of
  one that renews itself: it has no end yet. A stakeable_locktime holds only what is not staked again: until then it can be staked. Where two end in
  the same second, the kind is staking, else stakeable_locktime. Without the index P/block it is empty.
kept: view
files: { order: [day, kind, blockchain] }
columns:
  day: Day from which on it can be spent [UTC].
  kind: 'What holds it the longest: staking, locktime, or stakeable_locktime.'
  blockchain: P, X or C.
  utxos: UTXOs.
  amount: AVAX [nAVAX].
  amount_avax: The same in whole coins [AVAX].
*/
WITH
  -- What does not hold a UTXO holds it until now; what holds it for good, or nobody knows until when, is NULL.
  held AS (
    SELECT
      u.blockchain,
      u.amount,
      u.amount_avax,
      n.block_time AS now_time,
      CASE WHEN u.state = 'staked' THEN u.staking_ends ELSE n.block_time END AS staked_until,
      CASE WHEN u.locktime > 0 THEN u.locked_until ELSE n.block_time END AS locked_until,
      CASE WHEN u.stakeable_locktime > 0 THEN u.stakeable_until ELSE n.block_time END AS stakeable_until
    FROM mart.fct_utxo AS u
    CROSS JOIN staging.primary_now AS n
    WHERE u.state IN ('staked', 'unspent') AND u.amount_avax IS NOT NULL
  ),
  freed AS (
    SELECT
      *,
      CASE
        WHEN staked_until >= stakeable_until AND staked_until >= locked_until THEN 'staking'
        WHEN stakeable_until >= locked_until THEN 'stakeable_locktime'
        ELSE 'locktime'
      END AS kind
    FROM held
    WHERE staked_until IS NOT NULL AND locked_until IS NOT NULL AND stakeable_until IS NOT NULL
  ),
  timed AS (
    SELECT *, CASE kind WHEN 'staking' THEN staked_until WHEN 'stakeable_locktime' THEN stakeable_until ELSE locked_until END AS moment
    FROM freed
  )
SELECT
  CAST(moment AS DATE) AS "day",
  kind,
  blockchain,
  count(*) AS utxos,
  wide_sum(amount) AS amount,
  CAST(sum(amount_avax) AS DECIMAL(38,18)) AS amount_avax
FROM timed
WHERE moment > now_time
GROUP BY CAST(moment AS DATE), kind, blockchain
