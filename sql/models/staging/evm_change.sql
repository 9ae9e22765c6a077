/*
description: 'Which load wrote which rows of a block, from every source: what came since a load is what has to be built again.'
kept: view
columns:
  chain_id: EVM chain id.
  number: Height of the block.
  _load_id: Load that wrote a row of the block.
*/
SELECT chain_id, "number", _load_id FROM raw.node_evm_blocks
UNION ALL
SELECT chain_id, "number", _load_id FROM raw.node_evm_transactions
UNION ALL
SELECT chain_id, "number", _load_id FROM raw.node_evm_receipts
UNION ALL
SELECT chain_id, "number", _load_id FROM raw.node_evm_logs
UNION ALL
SELECT chain_id, "number", _load_id FROM raw.node_evm_traces
UNION ALL
SELECT chain_id, "number", _load_id FROM raw.node_evm_trace_status
UNION ALL
SELECT c.chain_id, b."number", b._load_id
FROM raw.node_containers_c_blocks AS b
JOIN firn.chain AS c ON c.vm = 'evm' AND c.alias || '/block' = b.index_name
UNION ALL
SELECT c.chain_id, t.block_number, t._load_id
FROM raw.node_containers_c_transactions AS t
JOIN firn.chain AS c ON c.vm = 'evm' AND c.alias || '/block' = t.index_name
UNION ALL
SELECT chain_id, block_number, _load_id FROM raw.data_latest_transactions
