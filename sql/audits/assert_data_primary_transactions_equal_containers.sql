/*
claim: >-
  Where the containers hold a block, every transaction that the data service places in it is there, of the same type, at the same time,
  burning as much AVAX (with or without the balance of L1 validators). Height 0 is genesis; Apricot blocks of the P-Chain carry no time to
  compare; a type that the service calls UNKNOWN says nothing.
protects: [raw.data_primary_transactions, mart.fct_primary_transaction]
severity: warns
*/
WITH
  held AS NOT MATERIALIZED (
    SELECT 'p-chain' AS blockchain, height, "timestamp" IS NOT NULL AS is_timed, _load_id FROM raw.node_containers_p_blocks
    UNION ALL
    SELECT 'x-chain', height, true, _load_id FROM raw.node_containers_x_blocks
    UNION ALL
    SELECT 'c-chain', "number", true, _load_id FROM raw.node_containers_c_blocks
  ),
  pair AS NOT MATERIALIZED (
    SELECT d.blockchain, d.tx_hash, d.block_number, d.block_timestamp, d.tx_type, h.is_timed, d._load_id AS data_load, h._load_id AS container_load
    FROM raw.data_primary_transactions AS d
    -- A bare name that is the same in all rows of a table would keep DuckDB from narrowing the tables by the height.
    JOIN held AS h ON h.height = d.block_number AND h.blockchain || '' = d.blockchain
    WHERE d.block_number > 0
  ),
  -- Either side for itself: together they would join all transactions and blocks there are.
  met AS (
    SELECT blockchain, tx_hash, block_number, block_timestamp, tx_type, is_timed FROM pair WHERE in_new_loads(data_load)
    UNION ALL
    SELECT blockchain, tx_hash, block_number, block_timestamp, tx_type, is_timed FROM pair WHERE in_new_loads(container_load) AND NOT in_new_loads(data_load)
  ),
  burned AS (
    SELECT a.blockchain, a.tx_hash, wide_sum(a.amount) AS amount
    FROM raw.data_primary_transactions_amounts AS a
    JOIN mart.dim_asset AS s ON s.asset_id = a.asset_id AND s.is_avax
    WHERE a.kind = 'amountBurned' AND a.tx_hash IN (SELECT tx_hash FROM met)
    GROUP BY a.blockchain, a.tx_hash
  )
SELECT d.blockchain, d.tx_hash, d.block_number, t.block_height, d.tx_type AS data_tx_type, t.tx_type AS container_tx_type,
  b.amount AS data_amount_burned, t.amount_burned AS container_amount_burned
FROM met AS d
LEFT JOIN mart.fct_primary_transaction AS t ON t.tx_id = d.tx_hash AND lower(t.blockchain) || '-chain' = d.blockchain
LEFT JOIN burned AS b ON b.blockchain = d.blockchain AND b.tx_hash = d.tx_hash
WHERE (t.tx_id IS NULL OR t.block_height <> d.block_number OR (t.tx_type <> d.tx_type AND d.tx_type <> 'UNKNOWN') OR (d.is_timed AND t.block_time <> d.block_timestamp)
    OR b.amount NOT IN (t.amount_burned, t.amount_burned - t.l1_balance))
  -- A proposal to advance the time that was aborted may come again, the same.
  AND NOT (
    t.block_height IS DISTINCT FROM d.block_number
    AND EXISTS (
      SELECT 1 FROM mart.fct_primary_transaction AS o
      WHERE o.tx_id = d.tx_hash AND o.block_height = d.block_number AND lower(o.blockchain) || '-chain' = d.blockchain
    )
  )
