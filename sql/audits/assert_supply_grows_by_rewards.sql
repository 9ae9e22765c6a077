/*
claim: >-
  Between two heights the supply of the Primary Network grows by the rewards promised to the stakings added in between, less the promised
  rewards of those that ended without one. Compared only where every promise of them is known from the node's lists.
protects: [raw.node_platform_supply, mart.fct_staking]
severity: warns
*/
WITH
  height AS (
    SELECT height, max(supply) AS supply, lead(height) OVER (ORDER BY height) AS next_height
    FROM raw.node_platform_supply
    WHERE subnet_id = '11111111111111111111111111111111LpoYY'
    GROUP BY height
  ),
  step AS (
    SELECT h.height, h.next_height, n.supply - h.supply AS growth FROM height AS h JOIN height AS n ON n.height = h.next_height
  ),
  promise AS (
    SELECT tx_id, max(reward) AS reward
    FROM (
      SELECT tx_id, potential_reward AS reward FROM raw.node_platform_validators
      UNION ALL
      SELECT tx_id, potential_reward FROM raw.node_platform_delegators
    )
    GROUP BY tx_id
  ),
  change AS (
    -- Before Durango a staking was promised its reward when it began, some blocks after its own.
    SELECT CASE WHEN s.start_time > s.added_at THEN b.height ELSE s.block_height END AS height, p.reward AS amount
    FROM mart.fct_staking AS s
    LEFT JOIN (
      SELECT s.tx_id, min(b.height) AS height
      FROM mart.fct_staking AS s
      JOIN staging.primary_platform_block AS b ON b.block_time >= s.start_time
      WHERE s.start_time > s.added_at
      GROUP BY s.tx_id
    ) AS b ON b.tx_id = s.tx_id
    LEFT JOIN promise AS p ON p.tx_id = s.tx_id
    WHERE s.subnet_id = '11111111111111111111111111111111LpoYY' AND s.state <> 'rejected'
    UNION ALL
    SELECT s.ended_height, -p.reward
    FROM mart.fct_staking AS s
    LEFT JOIN promise AS p ON p.tx_id = s.tx_id
    WHERE s.subnet_id = '11111111111111111111111111111111LpoYY' AND NOT s.rewarded
  ),
  -- Steps of which every block is held: an index may lack some.
  held AS (
    SELECT s.height
    FROM step AS s
    JOIN raw.node_containers_p_blocks AS b ON b.height > s.height AND b.height <= s.next_height
    GROUP BY s.height, s.next_height
    HAVING count(*) = s.next_height - s.height
  ),
  compared AS (
    SELECT s.height, s.next_height, s.growth, count(c.height) AS changes, count(c.amount) AS known, coalesce(wide_sum(c.amount), 0) AS amount
    FROM step AS s
    JOIN held AS h ON h.height = s.height
    LEFT JOIN change AS c ON c.height > s.height AND c.height <= s.next_height
    GROUP BY s.height, s.next_height, s.growth
  )
SELECT height, next_height, growth, amount AS rewards
FROM compared
WHERE known = changes AND growth <> amount
