/*
claim: 'No transaction of the Primary Network gives more AVAX than it takes: only rewards make AVAX.'
protects: [mart.fct_primary_transaction]
severity: blocks
*/
SELECT blockchain, tx_id, tx_type, amount_in, amount_out
FROM mart.fct_primary_transaction
WHERE amount_burned < 0
