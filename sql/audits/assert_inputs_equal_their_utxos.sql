/*
claim: 'An input spends what the output holds: same transaction and index, asset and amount, and the same chain; an import what was exported to it, and from where it says.'
protects: [raw.node_containers*]
severity: blocks
*/
WITH
  pair AS NOT MATERIALIZED (
    SELECT i.tx_id, i.input_index, i.utxo_id, i.amount AS input_amount, o.amount AS output_amount, i.asset_id AS input_asset_id, o.asset_id AS output_asset_id,
      i._load_id AS input_load_id, o._load_id AS output_load_id
    FROM staging.primary_input AS i
    JOIN staging.primary_output AS o ON o.utxo_id = i.utxo_id
    LEFT JOIN firn.chain AS s ON s.alias = i.blockchain
    LEFT JOIN firn.chain AS m ON m.alias = o.blockchain
    WHERE i.amount <> o.amount OR i.asset_id <> o.asset_id OR i.output_tx_id <> o.tx_id OR i.output_index <> o.output_index
      OR (i.source = 'imported') <> (o.destination = 'exported')
      OR (i.source <> 'imported' AND i.source_chain_id <> o.destination_chain_id)
      OR (i.source = 'imported' AND (s.blockchain_id <> o.destination_chain_id OR i.source_chain_id <> m.blockchain_id))
  )
-- Either side for itself: together they would join all inputs and outputs there are.
SELECT tx_id, input_index, utxo_id, input_amount, output_amount, input_asset_id, output_asset_id
FROM pair
WHERE in_new_loads(input_load_id)
UNION ALL
SELECT tx_id, input_index, utxo_id, input_amount, output_amount, input_asset_id, output_asset_id
FROM pair
WHERE in_new_loads(output_load_id) AND NOT in_new_loads(input_load_id)
