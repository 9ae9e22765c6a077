/*
claim: >-
  Every token transfer that the data service lists is in the logs of the block, where the receipts are held: same log, token, parties, id
  and amount; and a transaction that the service shows whole has as many.
protects:
  - raw.data_token_transfers
  - raw.data_address_erc721_transfers
  - raw.data_address_transactions_erc*
  - raw.data_transaction_details_erc*
severity: warns
*/
WITH
  details AS (
    SELECT chain_id, tx_hash, log_index, erc20_token_address AS token_address, from_address, to_address, NULL AS token_id, "value" AS amount, value_text AS amount_text, _load_id
    FROM raw.data_transaction_details_erc20_transfers
    UNION ALL
    SELECT chain_id, tx_hash, log_index, erc721_token_address, from_address, to_address, erc721_token_id, NULL, NULL, _load_id
    FROM raw.data_transaction_details_erc721_transfers
    UNION ALL
    SELECT chain_id, tx_hash, log_index, erc1155_token_address, from_address, to_address, erc1155_token_id, "value", value_text, _load_id
    FROM raw.data_transaction_details_erc1155_transfers
  ),
  told AS (
    SELECT chain_id, block_number, tx_hash, log_index, token_address, from_address, to_address, token_id, "value" AS amount, value_text AS amount_text, _load_id
    FROM raw.data_token_transfers
    UNION ALL
    SELECT chain_id, block_number, tx_hash, log_index, erc721_token_address, from_address, to_address, erc721_token_id, NULL, NULL, _load_id
    FROM raw.data_address_erc721_transfers
    UNION ALL
    SELECT chain_id, block_number, tx_hash, log_index, erc20_token_address, from_address, to_address, NULL, "value", value_text, _load_id
    FROM raw.data_address_transactions_erc20_transfers
    UNION ALL
    SELECT chain_id, block_number, tx_hash, log_index, erc721_token_address, from_address, to_address, erc721_token_id, NULL, NULL, _load_id
    FROM raw.data_address_transactions_erc721_transfers
    UNION ALL
    SELECT chain_id, block_number, tx_hash, log_index, erc1155_token_address, from_address, to_address, erc1155_token_id, "value", value_text, _load_id
    FROM raw.data_address_transactions_erc1155_transfers
    UNION ALL
    SELECT d.chain_id, f."number", d.tx_hash, d.log_index, d.token_address, d.from_address, d.to_address, d.token_id, d.amount, d.amount_text, d._load_id
    FROM details AS d
    JOIN mart.fct_transaction AS f ON f.chain_id = d.chain_id AND f.hash = d.tx_hash
  ),
  -- What is compared is new where either side is: the logs may come long after the list.
  fresh AS (
    SELECT DISTINCT chain_id, "number" FROM raw.node_evm_receipts WHERE in_new_loads(_load_id)
  ),
  whole AS (
    SELECT f.chain_id, f."number", f.hash, d._load_id
    FROM raw.data_transaction_details AS d
    JOIN mart.fct_transaction AS f ON f.chain_id = d.chain_id AND f.hash = d.tx_hash
  ),
  -- Blocks that the service tells of, which are mostly few.
  held AS (
    SELECT b.chain_id, b."number", f."number" IS NOT NULL AS is_fresh
    FROM (SELECT chain_id, block_number AS "number" FROM told UNION SELECT chain_id, "number" FROM whole) AS t
    JOIN mart.fct_block AS b ON b.chain_id = t.chain_id AND b."number" = t."number"
    LEFT JOIN fresh AS f ON f.chain_id = b.chain_id AND f."number" = b."number"
    WHERE b.source = 'node' AND b.receipts_proved
  ),
  -- Transactions that the service shows whole, as far as they or their logs are new.
  shown AS (
    SELECT w.chain_id, w."number", w.hash
    FROM whole AS w
    JOIN held AS h ON h.chain_id = w.chain_id AND h."number" = w."number"
    WHERE in_new_loads(w._load_id) OR h.is_fresh
  ),
  listed AS (
    SELECT chain_id, tx_hash, count(*) AS transfers
    FROM details
    GROUP BY chain_id, tx_hash
  ),
  logged AS (
    SELECT s.chain_id, s.hash, count(*) AS transfers
    FROM shown AS s
    JOIN mart.fct_token_transfer AS f ON f.chain_id = s.chain_id AND f."number" = s."number" AND f.transaction_hash = s.hash
    GROUP BY s.chain_id, s.hash
  )
SELECT t.chain_id, t.tx_hash, t.log_index, t.token_address, coalesce(t.amount_text, CAST(t.amount AS VARCHAR)) AS data_amount, 'not in the logs' AS problem
FROM told AS t
JOIN held AS h ON h.chain_id = t.chain_id AND h."number" = t.block_number
WHERE (in_new_loads(t._load_id) OR h.is_fresh)
  AND NOT EXISTS (
    SELECT 1
    FROM mart.fct_token_transfer AS f
    WHERE f.chain_id = t.chain_id AND f."number" = t.block_number AND f.log_index = t.log_index AND f.transaction_hash = t.tx_hash
      AND f.token_address = lower(t.token_address) AND f.from_address = lower(t.from_address) AND f.to_address = lower(t.to_address)
      AND (t.token_id IS NULL OR coalesce(f.token_id_text, CAST(f.token_id AS VARCHAR)) = t.token_id)
      AND (coalesce(t.amount_text, CAST(t.amount AS VARCHAR)) IS NULL
        OR coalesce(t.amount_text, CAST(t.amount AS VARCHAR)) = coalesce(f.amount_text, CAST(f.amount AS VARCHAR)))
  )
UNION ALL
SELECT s.chain_id, s.hash, NULL, NULL, NULL,
  'the logs hold ' || CAST(coalesce(l.transfers, 0) AS VARCHAR) || ' transfers, the data service lists ' || CAST(coalesce(w.transfers, 0) AS VARCHAR)
FROM shown AS s
LEFT JOIN listed AS w ON w.chain_id = s.chain_id AND w.tx_hash = s.hash
LEFT JOIN logged AS l ON l.chain_id = s.chain_id AND l.hash = s.hash
WHERE coalesce(l.transfers, 0) <> coalesce(w.transfers, 0)
