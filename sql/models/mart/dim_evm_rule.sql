/*
description: >-
  One row a rule of an EVM L1 and the time for which it had a value: forks, rules of the chain network, precompiles. Needs
  node/evm_active_rules_history. To join blocks: block_time >= from_time AND (until_time IS NULL OR block_time < until_time).
traps: 'from_time of 1970 means: from genesis on. A precompile that is not in force has no row; other rules have one that says false.'
kept: view
whole: true
files: { order: [chain_id, rule_set, rule, from_time] }
columns:
  chain_id: EVM chain id.
  rule_set: eth, network (the rules of the chain network itself), or precompile.
  rule: Name of the rule, such as IsCancun, or of the precompile configuration.
  value: The value as text.
  is_active: Whether the rule is in force; NULL for a value that is neither true nor false.
  from_time: Block time from which it has this value [UTC].
  until_time: Block time from which it has another; NULL while it holds [UTC].
*/
WITH
  moment AS (
    SELECT
      chain_id,
      from_time,
      lead(from_time) OVER (PARTITION BY chain_id ORDER BY from_time ASC) AS until_time,
      row_number() OVER (PARTITION BY chain_id ORDER BY from_time ASC) AS place
    FROM (SELECT DISTINCT chain_id, from_time FROM raw.node_evm_active_rules_history) AS told
  ),
  placed AS (
    SELECT
      r.chain_id,
      r.rule_set,
      r.rule,
      r."value",
      r.is_active,
      m.from_time,
      m.until_time,
      -- The same for neighbouring moments at which the rule has the same value.
      m.place - row_number() OVER (PARTITION BY r.chain_id, r.rule_set, r.rule, r."value" ORDER BY m.place ASC) AS stretch
    FROM raw.node_evm_active_rules_history AS r
    JOIN moment AS m ON m.chain_id = r.chain_id AND m.from_time = r.from_time
  )
SELECT
  chain_id,
  rule_set,
  rule,
  "value",
  is_active,
  min(from_time) AS from_time,
  CASE WHEN count(*) = count(until_time) THEN max(until_time) END AS until_time
FROM placed
GROUP BY chain_id, rule_set, rule, "value", is_active, stretch
