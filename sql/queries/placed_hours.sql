-- Common tables of a SELECT. The last of them are the hours of firn_hours with the heights in them, their work in gas, and that of all hours of their chain up to them, in a
-- stretch of time that holds them all.
held AS (
  SELECT chain_id, "hour", min("number") AS "first", max("number") AS "last", coalesce(sum(gas_used), 0) + {gas_of_block} * count(*) AS work
  FROM (
    SELECT chain_id, date_trunc('hour', block_time) AS "hour", "number", gas_used FROM staging.evm_block
    WHERE block_time >= {from} AND block_time < {until}
  ) AS near
  GROUP BY chain_id, "hour"
),
summed AS (
  SELECT coalesce(h.chain_id, b.chain_id) AS chain_id, coalesce(h."hour", b."hour") AS "hour",
    -- Where times run back, hours that are joined have heights beyond those of their first and their last one.
    CASE WHEN b."first" >= 0 THEN min(b."first") OVER from_here END AS "first",
    CASE WHEN b."last" >= 0 THEN max(b."last") OVER so_far END AS "last",
    coalesce(b.work, 0) AS work, h."hour" IS NOT NULL AS is_changed,
    sum(coalesce(b.work, 0)) OVER so_far AS work_so_far
  FROM firn_hours AS h FULL JOIN held AS b ON b.chain_id = h.chain_id AND b."hour" = h."hour"
  WINDOW so_far AS (PARTITION BY coalesce(h.chain_id, b.chain_id) ORDER BY coalesce(h."hour", b."hour")),
    from_here AS (PARTITION BY coalesce(h.chain_id, b.chain_id) ORDER BY coalesce(h."hour", b."hour") DESC)
),
placed AS (
  SELECT chain_id, "hour", "first", "last", CAST(work AS VARCHAR) AS work, CAST(work_so_far AS VARCHAR) AS work_so_far
  FROM summed WHERE is_changed
)
