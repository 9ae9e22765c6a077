/*
claim: 'An input spends what the output holds: same transaction and index, asset and amount, and but for imports the same chain.'
protects: [raw.node_containers*]
severity: blocks
*/
SELECT i.tx_id, i.input_index, i.utxo_id, i.amount AS input_amount, o.amount AS output_amount, i.asset_id AS input_asset_id, o.asset_id AS output_asset_id
FROM staging.primary_input AS i
JOIN staging.primary_output AS o ON o.utxo_id = i.utxo_id
WHERE (in_new_loads(i._load_id) OR in_new_loads(o._load_id))
  AND (i.amount <> o.amount OR i.asset_id <> o.asset_id OR i.output_tx_id <> o.tx_id OR i.output_index <> o.output_index
    OR (i.source <> 'imported' AND i.source_chain_id <> o.destination_chain_id))
