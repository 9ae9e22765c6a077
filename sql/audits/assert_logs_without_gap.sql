-- Logs of a block are numbered from 0 without a gap.
SELECT chain_id, "number", count(*) AS logs, max(log_index) AS last_index
FROM raw.node_evm_logs
WHERE in_new_loads(_load_id)
GROUP BY chain_id, "number"
HAVING count(*) <> max(log_index) + 1
