/*
claim: >-
  Between two heights the supply of the Primary Network grows by the rewards promised to the stakings added in between, less the promised
  rewards of those that ended without one. Compared only where every promise of them is known from the node's lists.
protects: [raw.node_platform_supply, mart.fct_staking]
severity: warns
*/
WITH
  height AS (
    SELECT height, max(supply) AS supply, lead(height) OVER (ORDER BY height ASC) AS next_height
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
  -- The first block from when on a staking goes on. One order of all stands here and below in place of comparing everything with every block.
  begun AS (
    SELECT tx_id, min(height) AS height
    FROM (
      SELECT tx_id, min(height) OVER (ORDER BY moment DESC) AS height
      FROM (
        SELECT tx_id, start_time AS moment, NULL AS height FROM mart.fct_staking
        WHERE block_height IS NOT NULL AND (added_at IS NULL OR start_time > added_at)
        UNION ALL
        SELECT NULL, block_time, height FROM staging.primary_platform_block WHERE block_time IS NOT NULL
      )
    )
    WHERE tx_id IS NOT NULL
    GROUP BY tx_id
  ),
  change AS (
    -- Before Durango a staking was promised its reward when it began, some blocks after its own.
    SELECT CASE WHEN s.added_at IS NULL OR s.start_time > s.added_at THEN b.height ELSE s.block_height END AS height,
      -- One that renews itself is promised another reward in every cycle: the lists say the last one.
      CASE WHEN s.tx_type = 'AddAutoRenewedValidatorTx' THEN NULL ELSE p.reward END AS amount
    FROM mart.fct_staking AS s
    LEFT JOIN begun AS b ON b.tx_id = s.tx_id
    LEFT JOIN promise AS p ON p.tx_id = s.tx_id
    WHERE s.subnet_id = '11111111111111111111111111111111LpoYY' AND s.state <> 'rejected'
    UNION ALL
    -- Of a staking that nothing but its end tells, the promise is not known.
    SELECT e.ended_height, CASE WHEN e.utxo_tx_id = e.staking_tx_id THEN -p.reward END
    FROM staging.primary_reward AS e
    LEFT JOIN mart.fct_staking AS s ON s.tx_id = e.staking_tx_id
    LEFT JOIN promise AS p ON p.tx_id = s.tx_id
    WHERE (s.subnet_id IS NULL OR s.subnet_id = '11111111111111111111111111111111LpoYY') AND (NOT e.rewarded OR e.utxo_tx_id <> e.staking_tx_id)
  ),
  -- A step has what lies above its height, up to the next one's.
  placed AS (
    SELECT kind, amount, max(step) OVER (ORDER BY height ASC, is_step ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS height
    FROM (
      SELECT 'block' AS kind, height, NULL AS amount, NULL AS step, 0 AS is_step FROM raw.node_containers_p_blocks
      UNION ALL
      SELECT 'change', height, amount, NULL, 0 FROM change WHERE height IS NOT NULL
      UNION ALL
      SELECT 'step', height, NULL, height, 1 FROM height WHERE height IS NOT NULL
    )
  ),
  compared AS (
    SELECT
      s.height, s.next_height, s.growth, count(CASE WHEN p.kind = 'block' THEN 1 END) AS blocks,
      count(CASE WHEN p.kind = 'change' THEN 1 END) AS changes, count(p.amount) AS known, coalesce(wide_sum(p.amount), 0) AS amount
    FROM step AS s
    JOIN placed AS p ON p.height = s.height
    GROUP BY s.height, s.next_height, s.growth
  )
SELECT height, next_height, growth, amount AS rewards
FROM compared
-- An index may lack blocks.
WHERE blocks = next_height - height AND known = changes AND growth <> amount
