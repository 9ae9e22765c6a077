/*
claim: 'One row a UTXO: nothing is made twice, and nothing is spent twice.'
protects: [mart.fct_utxo]
severity: blocks
*/
SELECT utxo_id, count(*) AS "rows", min(created_by_tx_id) AS created_by_tx_id, min(consumed_by_tx_id) AS one_consumer, max(consumed_by_tx_id) AS other_consumer
FROM mart.fct_utxo
GROUP BY utxo_id
HAVING count(*) > 1
