-- What the data service says of a UTXO is what the containers say: amount, asset, owners, locktime, and who spent it. Whether it is spent at all
-- is compared only where one side must know: a spending transaction that the containers hold, or one that they held before the run in which
-- the service still called the UTXO unspent.
WITH
  read AS (
    SELECT stream || ' ' || "partition" AS name, max(load_id) AS load_id FROM firn.load WHERE stream = 'data/utxos' GROUP BY stream || ' ' || "partition"
  ),
  shown AS (
    SELECT u.*, l.load_id AS read_load, l.run_id
    FROM raw.data_utxos AS u
    JOIN firn.load AS first_seen ON first_seen.load_id = u._load_id
    JOIN read AS r ON r.name = first_seen.stream || ' ' || first_seen."partition"
    JOIN firn.load AS l ON l.load_id = r.load_id
    WHERE u._valid_to IS NULL
  ),
  spending AS (
    SELECT i.utxo_id, min(l.run_id) AS run_id, min(l.load_id) AS load_id
    FROM staging.primary_input AS i
    JOIN firn.load AS l ON l.load_id = i._load_id
    GROUP BY i.utxo_id
  )
SELECT d.blockchain, d.utxo_id, d.amount AS data_amount, u.amount, d.addresses AS data_addresses, u.addresses, d.consuming_tx_hash, u.consumed_by_tx_id
FROM shown AS d
JOIN mart.fct_utxo AS u ON u.utxo_id = d.utxo_id
LEFT JOIN spending AS s ON s.utxo_id = d.utxo_id
WHERE u.amount <> d.amount
  OR u.asset_id <> d.asset_id
  OR list_sort(u.addresses) <> list_sort(d.addresses)
  OR u.threshold <> d.threshold
  -- The service leaves a locktime out, or says 0, where it is none.
  OR (u.locktime > 0 AND d.platform_locktime > 0 AND u.locktime <> d.platform_locktime)
  OR (u.stakeable_locktime > 0 AND d.stakeable_locktime > 0 AND u.stakeable_locktime <> d.stakeable_locktime)
  OR u.consumed_by_tx_id <> d.consuming_tx_hash
  OR (u.consumed_by_tx_id IS NULL AND EXISTS (SELECT 1 FROM mart.fct_primary_transaction AS t WHERE t.tx_id = d.consuming_tx_hash))
  OR (u.consumed_by_tx_id IS NOT NULL AND d.consuming_tx_hash IS NULL AND s.load_id < d.read_load AND s.run_id <> d.run_id)
