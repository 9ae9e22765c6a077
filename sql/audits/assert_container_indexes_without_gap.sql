-- Containers of an index are numbered without a gap.
SELECT index_name, min("index") AS first_index, max("index") AS last_index, count(*) AS containers
FROM raw.node_containers
WHERE in_new_loads(_load_id)
GROUP BY index_name
HAVING count(*) <> max("index") - min("index") + 1
