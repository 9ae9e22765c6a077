/*
claim: >-
  A chain that had call traces has them on: the node did not stop offering them, until they are no longer asked for (`traces: false`). Its
  days since are to be read again (`firn backfill node/evm_blocks --again`) before old rows are dropped.
protects: [raw.node_evm_trace_status]
severity: warns
*/
SELECT
  s.chain_id,
  min(s."number") AS first_untraced,
  max(s."number") AS last_untraced,
  min(b."timestamp") AS since,
  max(b."timestamp") AS until
FROM raw.node_evm_trace_status AS s
JOIN (
  -- Within the first hour that has any they may have begun late. Where its rows were dropped, it tells itself.
  SELECT h.chain_id, coalesce(min(o."number"), min(h.first_block)) AS first_traced
  FROM (
    SELECT chain_id, first_block, last_block, row_number() OVER (PARTITION BY chain_id ORDER BY first_block ASC) AS place
    FROM firn.coverage
    WHERE time_interval = 'hour' AND transactions > untraced_transactions
  ) AS h
  LEFT JOIN raw.node_evm_trace_status AS o
    ON o.chain_id = h.chain_id AND o."number" BETWEEN h.first_block AND h.last_block AND o.trace_status = 'traced'
  WHERE h.place = 1
  GROUP BY h.chain_id
) AS t ON t.chain_id = s.chain_id AND t.first_traced < s."number"
JOIN raw.node_evm_blocks AS b ON b.chain_id = s.chain_id AND b."number" = s."number"
WHERE in_new_loads(s._load_id) AND s.trace_status = 'not_offered'
  AND NOT EXISTS (
    SELECT 1 FROM raw.node_evm_trace_status AS n
    WHERE in_new_loads(n._load_id) AND n.chain_id = s.chain_id AND n."number" > s."number" AND n.trace_status = 'not_asked_for'
  )
GROUP BY s.chain_id
