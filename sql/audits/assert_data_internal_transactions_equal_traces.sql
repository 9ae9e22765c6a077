/*
claim: >-
  Every internal transaction that the data service lists is in the trace, as often, where the transaction is traced: same kind, parties,
  amount and fate; and a transaction that the service shows whole has as many. A kind that the service leaves out or calls UNKNOWN may be any. Of a creation that failed early the service names the zero
  address, or none. A transaction may stand in two lists of the same address, hence the factor.
protects:
  - raw.data_address_internal_transactions
  - raw.data_address_transactions_internal_transactions
  - raw.data_transaction_details_internal_transactions
severity: warns
*/
WITH
  told AS (
    SELECT chain_id, tx_hash, address, internal_tx_type AS "type", lower(from_address) AS from_address, lower(to_address) AS to_address, coalesce(value_text, CAST("value" AS VARCHAR)) AS "value", is_reverted, _load_id
    FROM raw.data_address_internal_transactions
    UNION ALL
    SELECT chain_id, tx_hash, address, internal_tx_type, lower(from_address), lower(to_address), coalesce(value_text, CAST("value" AS VARCHAR)), is_reverted, _load_id
    FROM raw.data_address_transactions_internal_transactions
    UNION ALL
    SELECT chain_id, tx_hash, NULL, internal_tx_type, lower(from_address), lower(to_address), coalesce(value_text, CAST("value" AS VARCHAR)), is_reverted, _load_id
    FROM raw.data_transaction_details_internal_transactions
  ),
  -- What is compared is new where either side is: the traces may come long after the list.
  fresh AS (
    SELECT t.hash
    FROM raw.node_evm_trace_status AS s
    JOIN mart.fct_transaction AS t ON t.chain_id = s.chain_id AND t."number" = s."number" AND t.tx_index = s.tx_index
    WHERE in_new_loads(s._load_id)
  ),
  counted AS (
    SELECT chain_id, tx_hash, "type", from_address, to_address, "value", is_reverted, count(*) AS entries
    FROM told
    WHERE in_new_loads(_load_id) OR tx_hash IN (SELECT hash FROM fresh)
    GROUP BY chain_id, tx_hash, address, "type", from_address, to_address, "value", is_reverted
  ),
  whole AS (
    SELECT chain_id, tx_hash, count(*) AS entries FROM raw.data_transaction_details_internal_transactions GROUP BY chain_id, tx_hash
  ),
  traced AS (
    SELECT chain_id, transaction_hash, count(*) AS entries FROM mart.fct_internal_transaction GROUP BY chain_id, transaction_hash
  )
SELECT c.chain_id, c.tx_hash, c."type", c.from_address, c.to_address, c."value", 'listed more often than traced' AS problem
FROM counted AS c
JOIN mart.fct_transaction AS t ON t.chain_id = c.chain_id AND t.hash = c.tx_hash AND t.trace_status = 'traced'
WHERE c.entries > 2 * (
    SELECT count(*)
    FROM mart.fct_internal_transaction AS f
    WHERE f.chain_id = c.chain_id AND f."number" = t."number" AND f.transaction_hash = c.tx_hash AND coalesce(c."type", 'UNKNOWN') IN (f."type", 'UNKNOWN')
      AND f.from_address = c.from_address AND coalesce(f.to_address, '0x0000000000000000000000000000000000000000') = coalesce(c.to_address, '0x0000000000000000000000000000000000000000')
      AND coalesce(f.value_text, CAST(f."value" AS VARCHAR)) IS NOT DISTINCT FROM c."value" AND (c.is_reverted IS NULL OR f.reverted = c.is_reverted)
  )
UNION ALL
SELECT d.chain_id, d.tx_hash, NULL, NULL, NULL, NULL,
  'the trace holds ' || CAST(coalesce(f.entries, 0) AS VARCHAR) || ' internal transactions, the data service lists ' || CAST(coalesce(w.entries, 0) AS VARCHAR)
FROM raw.data_transaction_details AS d
JOIN mart.fct_transaction AS t ON t.chain_id = d.chain_id AND t.hash = d.tx_hash AND t.trace_status = 'traced'
LEFT JOIN whole AS w ON w.chain_id = d.chain_id AND w.tx_hash = d.tx_hash
LEFT JOIN traced AS f ON f.chain_id = d.chain_id AND f.transaction_hash = d.tx_hash
WHERE (in_new_loads(d._load_id) OR d.tx_hash IN (SELECT hash FROM fresh)) AND coalesce(f.entries, 0) <> coalesce(w.entries, 0)
