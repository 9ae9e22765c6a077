/*
claim: >-
  A balance of the platform API is the sum of the UTXOs that it names; the ones that the containers made they hold, with this owner, and
  none of them was spent before the run that read the balance. Compared are balances whose UTXOs are all known (those of genesis are not).
protects: [raw.node_platform_balances, mart.fct_utxo]
severity: warns
*/
WITH
  balance AS (
    SELECT b.address, b.asset_id, b.balance, b.utxo_ids, b._load_id, l.run_id
    FROM raw.node_platform_balances AS b
    JOIN firn.load AS l ON l.load_id = b._load_id
  ),
  named AS (
    SELECT DISTINCT address, _load_id, run_id, json_extract_string(item, '$.txID') AS tx_id, CAST(json_extract_string(item, '$.outputIndex') AS BIGINT) AS output_index
    FROM balance
    CROSS JOIN UNNEST(CAST(utxo_ids AS JSON[])) AS u (item)
  ),
  found AS (
    SELECT n.address, n._load_id, n.run_id, n.tx_id, n.output_index, u.utxo_id, u.asset_id, u.amount, u.addresses
    FROM named AS n
    LEFT JOIN mart.fct_utxo AS u ON u.created_by_tx_id = n.tx_id AND u.output_index = n.output_index AND u.blockchain = 'P'
  ),
  spending AS (
    SELECT i.utxo_id, min(l.run_id) AS run_id, min(l.load_id) AS load_id
    -- Of these alone: of the whole history it would take more memory than there may be.
    FROM (SELECT DISTINCT utxo_id FROM found) AS f
    JOIN staging.primary_input AS i ON i.utxo_id = f.utxo_id
    JOIN staging.primary_transaction AS t ON t.tx_id = i.tx_id AND t.outcome <> 'pending'
    JOIN firn.load AS l ON l.load_id = i._load_id
    GROUP BY i.utxo_id
  ),
  whole AS (
    SELECT address, _load_id FROM found GROUP BY address, _load_id HAVING count(*) = count(utxo_id)
  ),
  summed AS (
    SELECT f.address, f._load_id, f.asset_id, wide_sum(f.amount) AS amount FROM found AS f GROUP BY f.address, f._load_id, f.asset_id
  )
SELECT b.address, 'the UTXOs add up to ' || coalesce(CAST(s.amount AS VARCHAR), 'nothing') || ', the balance is ' || CAST(b.balance AS VARCHAR) AS problem
FROM balance AS b
JOIN whole AS w ON w.address = b.address AND w._load_id = b._load_id
LEFT JOIN summed AS s ON s.address = b.address AND s._load_id = b._load_id AND s.asset_id = b.asset_id
WHERE s.amount IS DISTINCT FROM b.balance
UNION ALL
-- A staking transaction, or the one that ends a cycle, may have made a reward UTXO, which is known only where the rewards are read; one that ends
-- an L1 validator gives back the rest of its balance in a UTXO that no block holds.
SELECT f.address, 'the containers hold transaction ' || f.tx_id || ', but no output ' || CAST(f.output_index AS VARCHAR)
FROM found AS f
WHERE f.utxo_id IS NULL
  AND EXISTS (SELECT 1 FROM mart.fct_primary_transaction AS t WHERE t.tx_id = f.tx_id AND t.tx_type IS DISTINCT FROM 'RewardAutoRenewedValidatorTx')
  AND NOT EXISTS (SELECT 1 FROM raw.node_containers_p_staking AS s WHERE s.tx_id = f.tx_id)
  AND NOT EXISTS (SELECT 1 FROM raw.node_containers_p_l1_validators AS v WHERE v.tx_id = f.tx_id AND v.event IN ('disabled', 'weight_set'))
UNION ALL
SELECT f.address, 'UTXO ' || f.utxo_id || ' has other owners'
FROM found AS f
WHERE NOT list_contains(f.addresses, f.address)
UNION ALL
SELECT f.address, 'UTXO ' || f.utxo_id || ' was spent before'
FROM found AS f
JOIN spending AS s ON s.utxo_id = f.utxo_id
WHERE s.load_id < f._load_id AND s.run_id <> f.run_id
