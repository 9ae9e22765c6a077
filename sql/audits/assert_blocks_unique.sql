/*
claim: One row a height.
protects:
  - raw.node_evm_blocks
  - raw.node_evm_transactions
  - raw.node_evm_receipts
  - raw.node_evm_logs
  - raw.node_evm_traces
  - raw.node_evm_trace_status
  - staging.evm_block
severity: blocks
*/
SELECT b.chain_id, b."number", count(*) AS "rows"
FROM mart.fct_block AS b
JOIN (
  -- What staging.evm_block is made of. staging.evm_change has logs and traces, too, which make no row of a block and take most of a first look.
  SELECT chain_id, "number" FROM raw.node_evm_blocks WHERE in_new_loads(_load_id)
  UNION
  SELECT c.chain_id, i."number"
  FROM raw.node_containers_c_blocks AS i
  JOIN firn.chain AS c ON c.vm = 'evm' AND i.index_name = c.alias || '/block'
  WHERE in_new_loads(i._load_id)
  UNION
  SELECT chain_id, block_number FROM raw.data_latest_transactions WHERE in_new_loads(_load_id)
) AS n ON n.chain_id = b.chain_id AND n."number" = b."number"
GROUP BY b.chain_id, b."number"
HAVING count(*) > 1
