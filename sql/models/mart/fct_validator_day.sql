/*
description: >-
  One row a validator a day in whose last moment it validated, with its delegators: of the Primary Network, of subnets, and of L1s.
traps: >-
  the last day ends at the newest P-Chain block held. A day counts by its end: who left during the day has no row for it. Validators of
  genesis are here only where the node's list of current validators is held, and only while they validate. One of an L1 is here as long as it
  has weight, disabled or without balance, too: is_active is false from the block on that registered it without balance, or disabled it, until one
  pays in again. When a balance ran out stands in no block: is_active stays true, and only the node's lists of now tell it
  (raw.node_l1_validators.is_active). One that renews itself has the weight of the cycle that
  runs (mart.fct_staking_cycle); where weight_covered is false, nothing that was read tells it, and weight is a lower bound. How
  long a node was up stands in no block either: raw.node_platform_validators_daily and raw.data_validators_daily have what was read, day by day.
kept: table
changed:
  # All days since the first moment of which something is said that was not said before.
  day: |
    WITH
      span AS (
        SELECT tx_id, "role", node_id, subnet_id, weight, start_time, ended_at, sum(times) AS times
        FROM (SELECT *, 1 AS times FROM mart.fct_staking UNION ALL SELECT *, -1 FROM temp.before_fct_staking)
        WHERE state = 'active' OR (state IN ('ended', 'removed') AND ended_at IS NOT NULL)
        GROUP BY tx_id, "role", node_id, subnet_id, weight, start_time, ended_at
        HAVING sum(times) <> 0
        UNION ALL
        SELECT staking_tx_id, 'cycle', CAST(weight_covered AS VARCHAR), NULL, weight, start_time, ended_at, sum(times)
        FROM (SELECT *, 1 AS times FROM mart.fct_staking_cycle UNION ALL SELECT *, -1 FROM temp.before_fct_staking_cycle)
        GROUP BY staking_tx_id, weight_covered, weight, start_time, ended_at
        HAVING sum(times) <> 0
      ),
      -- One that only ended is what it was until then.
      edge AS (
        SELECT *, start_time AS moment, 'start' AS edge FROM span
        UNION ALL
        SELECT *, ended_at, 'end' FROM span
      ),
      since AS (
        SELECT moment FROM edge GROUP BY tx_id, "role", node_id, subnet_id, weight, moment, edge HAVING sum(times) <> 0
        UNION ALL
        SELECT block_timestamp
        FROM raw.node_containers_p_l1_validators
        WHERE validation_id IN (SELECT validation_id FROM raw.node_containers_p_l1_validators WHERE in_new_loads(_load_id))
        UNION ALL
        -- The last day ended at the newest block.
        SELECT least(min(block_time) FILTER (in_new_loads(_load_id)), max(block_time) FILTER (NOT in_new_loads(_load_id)))
        FROM staging.primary_platform_block
      )
    SELECT d."day"
    FROM (SELECT min(moment) AS moment FROM since) AS s
    CROSS JOIN staging.primary_now AS n
    CROSS JOIN UNNEST(generate_series(date_trunc('day', s.moment), n.block_time, INTERVAL 1 DAY)) AS d ("day")
    UNION ALL
    -- The time of an Apricot block is that of blocks before it, one of which may come late.
    SELECT NULL FROM raw.node_containers_p_blocks WHERE "timestamp" IS NULL AND in_new_loads(_load_id)
files: { time: day, order: [day, subnet_id, node_id] }
columns:
  day: Day [UTC].
  subnet_id: Subnet (cb58), 11111111111111111111111111111111LpoYY for the Primary Network.
  node_id: NodeID.
  kind: staking (by a staking transaction) or l1.
  tx_id: Staking transaction, or validation id of an L1 validator (cb58).
  weight: Own weight; nAVAX on the Primary Network.
  weight_covered: Whether this weight is known; false where it is a lower bound.
  is_active: Whether it takes part, by the blocks; false of a validator of an L1 that was registered without balance, or disabled.
  delegator_count: Delegators.
  delegator_weight: Weight of the delegators; nAVAX on the Primary Network.
  total_weight: Own weight and the delegators'.
  total_weight_avax: The same in whole coins; Primary Network only [AVAX].
*/
WITH
  span AS (
    SELECT d."day", n.block_time AS newest
    FROM staging.primary_now AS n
    CROSS JOIN UNNEST(generate_series(date_trunc('day', n.first_time), date_trunc('day', n.block_time), INTERVAL '1' DAY)) AS d ("day")
  ),
  days AS (
    SELECT
      "day",
      CASE
        WHEN "day" + INTERVAL '1' DAY > newest THEN newest
        ELSE CAST(CAST(CAST("day" AS DATE) AS VARCHAR) || ' 23:59:59.999999' AS TIMESTAMP(6))
      END AS moment
    FROM span
    WHERE in_days("day")
  ),
  staked AS (
    SELECT
      d."day",
      s.tx_id,
      s."role",
      s.node_id,
      s.subnet_id,
      coalesce(c.weight, CAST(s.weight AS DECIMAL(38,0))) AS weight,
      coalesce(c.weight_covered, true) AS weight_covered
    FROM mart.fct_staking AS s
    LEFT JOIN mart.fct_staking_cycle AS c ON c.staking_tx_id = s.tx_id
    JOIN days AS d
      ON s.start_time <= d.moment AND (s.ended_at IS NULL OR s.ended_at > d.moment)
      -- The cycle that ran: each but the last ends where the next one begins.
      AND (c.staking_tx_id IS NULL OR (c.start_time <= d.moment AND (c.outcome IS DISTINCT FROM 'renewed' OR c.ended_at > d.moment)))
    WHERE s.state IN ('active', 'ended', 'removed')
      -- One that ended and no container says when: its rows would be a guess.
      AND (s.state = 'active' OR s.ended_at IS NOT NULL)
  ),
  delegated AS (
    SELECT "day", subnet_id, node_id, count(*) AS delegators, wide_sum(weight) AS weight
    FROM staked
    WHERE "role" = 'delegator'
    GROUP BY "day", subnet_id, node_id
  ),
  l1_weight AS (
    SELECT
      validation_id,
      weight,
      block_timestamp AS set_at,
      lead(block_timestamp) OVER (PARTITION BY validation_id ORDER BY "index" ASC, "position" ASC) AS until
    FROM raw.node_containers_p_l1_validators
    WHERE event IN ('converted', 'registered', 'weight_set')
  ),
  l1_balance AS (
    SELECT
      validation_id,
      event <> 'disabled' AND coalesce(balance, 0) > 0 AS is_active,
      block_timestamp AS set_at,
      lead(block_timestamp) OVER (PARTITION BY validation_id ORDER BY "index" ASC, "position" ASC) AS until
    FROM raw.node_containers_p_l1_validators
    WHERE event IN ('converted', 'registered', 'balance_increased', 'disabled')
  )
SELECT
  CAST(s."day" AS DATE) AS "day",
  s.subnet_id,
  s.node_id,
  'staking' AS kind,
  s.tx_id,
  s.weight,
  s.weight_covered,
  true AS is_active,
  coalesce(d.delegators, 0) AS delegator_count,
  coalesce(d.weight, 0) AS delegator_weight,
  CAST(s.weight + coalesce(d.weight, 0) AS DECIMAL(38,0)) AS total_weight,
  CASE WHEN s.subnet_id = '11111111111111111111111111111111LpoYY' THEN navax_in_avax(CAST(s.weight + coalesce(d.weight, 0) AS DECIMAL(38,0))) END AS total_weight_avax
FROM staked AS s
LEFT JOIN delegated AS d ON d."day" = s."day" AND d.subnet_id = s.subnet_id AND d.node_id = s.node_id
WHERE s."role" = 'validator'
UNION ALL
SELECT
  CAST(d."day" AS DATE),
  v.subnet_id,
  v.node_id,
  'l1',
  v.validation_id,
  CAST(w.weight AS DECIMAL(38,0)),
  true,
  b.is_active,
  0,
  0,
  CAST(w.weight AS DECIMAL(38,0)),
  NULL
FROM l1_weight AS w
JOIN mart.dim_l1_validator AS v ON v.validation_id = w.validation_id
JOIN l1_balance AS b ON b.validation_id = w.validation_id
JOIN days AS d
  ON w.set_at <= d.moment AND (w.until IS NULL OR w.until > d.moment)
  AND b.set_at <= d.moment AND (b.until IS NULL OR b.until > d.moment)
WHERE w.weight > 0
