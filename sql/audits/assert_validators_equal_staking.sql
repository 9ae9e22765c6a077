-- The validators and delegators that the node lists are those that staking transactions added and no reward or removal ended: same node, weight
-- and end. Membership is compared across runs, where one side must know what the other says.
WITH
  listed AS (
    SELECT subnet_id, tx_id, node_id, weight, start_time, end_time, _load_id, _valid_to FROM raw.node_platform_validators WHERE tx_id IS NOT NULL
    UNION ALL
    SELECT subnet_id, tx_id, node_id, weight, start_time, end_time, _load_id, _valid_to FROM raw.node_platform_delegators
  ),
  -- Whole lists only: a partition that asks for some nodes says nothing of the others.
  read AS (
    SELECT replace("partition", 'subnet_id=', '') AS subnet_id, max(load_id) AS load_id
    FROM firn.load
    WHERE stream = 'node/platform_validators' AND "partition" LIKE 'subnet_id=%' AND "partition" NOT LIKE '%,%'
    GROUP BY replace("partition", 'subnet_id=', '')
  ),
  last_read AS (
    SELECT r.subnet_id, r.load_id, l.run_id FROM read AS r JOIN firn.load AS l ON l.load_id = r.load_id
  ),
  containers_read AS (
    SELECT max(load_id) AS load_id FROM firn.load WHERE stream = 'node/containers' AND "partition" = 'index_name=P/block'
  ),
  ending AS (
    SELECT r.staking_tx_id AS tx_id, l.load_id, l.run_id FROM staging.primary_reward AS r JOIN firn.load AS l ON l.load_id = r._load_id
  )
SELECT s.tx_id, s.node_id, 'the node lists node ' || v.node_id || ', weight ' || CAST(v.weight AS VARCHAR) || ', end ' || CAST(v.end_time AS VARCHAR) AS problem
FROM listed AS v
JOIN raw.node_containers_p_staking AS s ON s.tx_id = v.tx_id
WHERE s.node_id <> v.node_id OR s.subnet_id <> v.subnet_id OR s.weight <> v.weight OR s.end_time <> v.end_time
UNION ALL
SELECT v.tx_id, v.node_id, 'the node lists what a reward ended in an earlier run'
FROM listed AS v
JOIN last_read AS r ON r.subnet_id = v.subnet_id
JOIN ending AS e ON e.tx_id = v.tx_id
WHERE v._valid_to IS NULL AND e.load_id < r.load_id AND e.run_id <> r.run_id
UNION ALL
-- Active before the list was read, and active still in containers that were read later: the list must name it.
SELECT f.tx_id, f.node_id, 'active, and not on the list of the node'
FROM mart.fct_staking AS f
JOIN raw.node_containers_p_staking AS s ON s.tx_id = f.tx_id
JOIN last_read AS r ON r.subnet_id = f.subnet_id
JOIN firn.load AS l ON l.load_id = s._load_id
JOIN containers_read AS c ON c.load_id > r.load_id
WHERE f.state = 'active' AND s._load_id < r.load_id AND l.run_id <> r.run_id
  AND NOT EXISTS (SELECT 1 FROM listed AS v WHERE v.tx_id = f.tx_id)
