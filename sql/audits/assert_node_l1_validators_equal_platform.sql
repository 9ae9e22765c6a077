/*
claim: 'The VM of an L1 and the P-Chain speak of the same validations: same node, same start.'
protects: [raw.node_l1_validators, raw.node_platform_validators]
severity: warns
*/
SELECT v.chain_id, v.validation_id, v.node_id, p.node_id AS platform_node_id, v.start_timestamp, p.start_time AS platform_start_time
FROM raw.node_l1_validators AS v
JOIN (
  SELECT validation_id, node_id, start_time, _load_id FROM raw.node_platform_validators
  UNION
  SELECT tx_id, node_id, start_time, _load_id FROM raw.node_platform_validators
) AS p ON p.validation_id = v.validation_id
WHERE (in_new_loads(v._load_id) OR in_new_loads(p._load_id)) AND (v.node_id <> p.node_id OR v.start_timestamp <> p.start_time)
UNION ALL
SELECT v.chain_id, v.validation_id, v.node_id, e.node_id, v.start_timestamp, e.block_timestamp
FROM raw.node_l1_validators AS v
JOIN raw.node_containers_p_l1_validators AS e ON e.validation_id = v.validation_id AND e.event IN ('converted', 'registered')
WHERE (in_new_loads(v._load_id) OR in_new_loads(e._load_id)) AND (v.node_id <> e.node_id OR v.start_timestamp <> e.block_timestamp)
