/*
claim: >-
  What the data service says of a UTXO is what the containers say: amount, asset, owners, locktime, and who spent it. Whether it is spent
  at all is compared only where one side must know: a spending transaction that the containers hold, or one older than what the service
  had shown of the chain that spends in a run before the one in which it still called the UTXO unspent. Every page of a list, and every list, is
  of a moment of its own, and of each chain the service knows as much as it has read: what leaves a chain is listed there, too, but spent elsewhere.
protects: [raw.data_utxos, mart.fct_utxo]
severity: warns
*/
WITH
  read AS (
    SELECT l."partition", l.load_id, l.run_id
    FROM firn.load AS l
    JOIN (SELECT "partition", max(load_id) AS load_id FROM firn.load WHERE stream = 'data/utxos' GROUP BY "partition") AS newest ON newest.load_id = l.load_id
  ),
  shown AS (
    SELECT u.*, r.load_id AS read_load
    FROM raw.data_utxos AS u
    JOIN firn.load AS first_seen ON first_seen.load_id = u._load_id
    JOIN read AS r ON r."partition" = first_seen."partition"
    WHERE u._valid_to IS NULL
  ),
  told AS (
    SELECT blockchain, _load_id, max(told_time) AS told_time
    FROM (
      SELECT coalesce(lower(c.alias) || '-chain', u.blockchain) AS blockchain, u._load_id, u.consuming_block_timestamp AS told_time
      FROM raw.data_utxos AS u
      LEFT JOIN firn.chain AS c ON c.blockchain_id = u.consumed_on_chain_id AND c.alias IN ('P', 'X', 'C')
      UNION ALL
      SELECT blockchain, _load_id, block_timestamp FROM raw.data_primary_transactions
    )
    GROUP BY blockchain, _load_id
  ),
  -- How far the service was at least when a list was read.
  indexed AS (
    SELECT r.load_id AS read_load, t.blockchain, max(t.told_time) AS told_time
    FROM read AS r
    JOIN firn.load AS l ON l.load_id < r.load_id AND l.run_id <> r.run_id
    JOIN told AS t ON t._load_id = l.load_id
    GROUP BY r.load_id, t.blockchain
  )
SELECT d.blockchain, d.utxo_id, d.amount AS data_amount, u.amount, d.addresses AS data_addresses, u.addresses, d.consuming_tx_hash, u.consumed_by_tx_id
FROM shown AS d
JOIN mart.fct_utxo AS u ON u.utxo_id = d.utxo_id
LEFT JOIN indexed AS i ON i.read_load = d.read_load AND i.blockchain = coalesce(lower(u.consumed_on) || '-chain', d.blockchain)
WHERE u.amount <> d.amount
  OR u.asset_id <> d.asset_id
  OR list_sort(u.addresses) <> list_sort(d.addresses)
  OR u.threshold <> d.threshold
  -- The service leaves a locktime out, or says 0, where it is none.
  OR (u.locktime > 0 AND d.platform_locktime > 0 AND u.locktime <> d.platform_locktime)
  OR (d.stakeable_locktime > 0 AND u.stakeable_locktime <> d.stakeable_locktime)
  OR u.consumed_by_tx_id <> d.consuming_tx_hash
  OR (u.consumed_by_tx_id IS NULL AND EXISTS (SELECT 1 FROM mart.fct_primary_transaction AS t WHERE t.tx_id = d.consuming_tx_hash))
  OR (d.consuming_tx_hash IS NULL AND u.consumed_time < i.told_time)
