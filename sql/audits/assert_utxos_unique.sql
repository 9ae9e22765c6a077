/*
claim: 'One row a UTXO: nothing is made twice, and nothing is spent twice.'
protects: [mart.fct_utxo]
severity: blocks
*/
SELECT u.utxo_id, count(*) AS "rows", min(u.created_by_tx_id) AS created_by_tx_id, min(u.consumed_by_tx_id) AS one_consumer, max(u.consumed_by_tx_id) AS other_consumer
-- Transactions of those alone that it is about: all of them take as much memory again as the ids.
FROM (SELECT utxo_id FROM mart.fct_utxo GROUP BY utxo_id HAVING count(*) > 1) AS d
JOIN mart.fct_utxo AS u ON u.utxo_id = d.utxo_id
GROUP BY u.utxo_id
