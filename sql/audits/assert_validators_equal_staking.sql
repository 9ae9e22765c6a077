/*
claim: >-
  The validators and delegators that the node lists are those that staking transactions added and no reward or removal ended: same node,
  weight and end. A list is of another moment than the containers: what a reward ended in an earlier run must be gone from it; and it must
  name what was active in an earlier run and, on the Primary Network where nobody leaves early, ends after the list was read.
protects: [raw.node_platform_validators, raw.node_platform_delegators, mart.fct_staking]
severity: warns
*/
WITH
  -- Whole lists only: a partition that asks for some nodes says nothing of the others.
  whole AS (
    SELECT load_id, run_id, committed_at, replace("partition", 'subnet_id=', '') AS subnet_id
    FROM firn.load
    WHERE stream = 'node/platform_validators' AND "partition" NOT LIKE '%,%'
  ),
  listed AS (
    SELECT subnet_id, tx_id, node_id, weight, end_time, _load_id, _valid_to FROM raw.node_platform_validators
    UNION ALL
    SELECT subnet_id, tx_id, node_id, weight, end_time, _load_id, _valid_to FROM raw.node_platform_delegators
  ),
  last_read AS (
    SELECT w.subnet_id, w.load_id, w.run_id, w.committed_at
    FROM whole AS w
    JOIN (SELECT subnet_id, max(load_id) AS load_id FROM whole GROUP BY subnet_id) AS newest ON newest.load_id = w.load_id
  ),
  current_list AS (
    SELECT v.* FROM listed AS v JOIN whole AS w ON w.load_id = v._load_id WHERE v._valid_to IS NULL
  ),
  -- What the containers of earlier runs hold had happened when the list was read.
  happened AS (
    SELECT r.subnet_id, max(b.height) AS height, max(b.block_time) AS block_time
    FROM last_read AS r
    JOIN firn.load AS l ON l.load_id < r.load_id AND l.run_id <> r.run_id
    JOIN (
      SELECT _load_id, max(height) AS height, max(block_time) AS block_time FROM staging.primary_platform_block GROUP BY _load_id
    ) AS b ON b._load_id = l.load_id
    GROUP BY r.subnet_id
  )
SELECT s.tx_id, s.node_id, 'the node lists node ' || v.node_id || ', weight ' || CAST(v.weight AS VARCHAR) || ', end ' || CAST(v.end_time AS VARCHAR) AS problem
FROM listed AS v
JOIN raw.node_containers_p_staking AS s ON s.tx_id = v.tx_id
WHERE s.node_id <> v.node_id OR s.subnet_id <> v.subnet_id OR s.end_time <> v.end_time
  -- One that renews itself stakes its rewards, too.
  OR (s.weight <> v.weight AND s.period IS NULL) OR s.weight > v.weight
UNION ALL
SELECT v.tx_id, v.node_id, 'the node lists what a reward ended in an earlier run'
FROM current_list AS v
JOIN happened AS h ON h.subnet_id = v.subnet_id
JOIN staging.primary_reward AS e ON e.staking_tx_id = v.tx_id AND e.is_end
WHERE e.ended_height <= h.height
UNION ALL
SELECT f.tx_id, f.node_id, 'active, and not on the list of the node'
FROM mart.fct_staking AS f
JOIN last_read AS r ON r.subnet_id = f.subnet_id
JOIN happened AS h ON h.subnet_id = f.subnet_id
-- Rows may have been dropped (`firn state drop`); their loads stay.
JOIN (SELECT DISTINCT subnet_id FROM current_list) AS c ON c.subnet_id = f.subnet_id
WHERE f.state = 'active' AND f.source = 'containers' AND f.subnet_id = '11111111111111111111111111111111LpoYY'
  AND f.block_height < h.height AND f.start_time <= h.block_time AND f.end_time > r.committed_at + INTERVAL '1' HOUR
  AND NOT EXISTS (SELECT 1 FROM current_list AS v WHERE v.tx_id = f.tx_id)
