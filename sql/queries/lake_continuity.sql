-- Positions of a chain that are missing or doubled, and rows whose parent is not the row before, the first {shown} of them.
WITH known(name, from_index, to_index) AS (VALUES {known}),
placed AS (
  SELECT {chain} AS chain, {position} AS place, {parent} AS parent, {index} AS own_index,
    lag({position}) OVER in_order AS last_place, lag({own}) OVER in_order AS last_own, lag({index}) OVER in_order AS last_index
  FROM {table}
  WINDOW in_order AS (PARTITION BY {chain} ORDER BY {position})
),
-- Where a gap is known between two rows, or something is still to be read, as many containers may be missing as it says; which heights those had nobody knows. One of none
-- stands where the source's counting itself leaves out: the parent is another there.
allowed AS (
  SELECT p.chain, p.place, sum(greatest(k.to_index - k.from_index + 1, 0)) AS missing
  FROM placed AS p
  JOIN known AS k ON k.name = {partition} AND k.from_index > p.last_index AND k.from_index <= p.own_index
  WHERE p.place > p.last_place + 1 OR p.parent <> p.last_own
  GROUP BY p.chain, p.place
),
found AS (
  SELECT p.chain, p.last_place + 1 AS place, p.place - 1 AS until, 'gap' AS kind
  FROM placed AS p
  LEFT JOIN allowed AS a ON a.chain IS NOT DISTINCT FROM p.chain AND a.place = p.place
  WHERE p.place > p.last_place + 1 AND (a.place IS NULL OR ({counted} AND a.missing < p.place - p.last_place - 1))
  UNION ALL SELECT chain, place, place, 'double' FROM placed WHERE place = last_place
  UNION ALL
  SELECT p.chain, p.place, p.place, 'parent' FROM placed AS p
  LEFT JOIN allowed AS a ON a.chain IS NOT DISTINCT FROM p.chain AND a.place = p.place
  WHERE p.place = p.last_place + 1 AND p.parent <> p.last_own AND a.place IS NULL
)
SELECT CAST(chain AS VARCHAR) AS chain, CAST(place AS BIGINT) AS place, CAST(until AS BIGINT) AS until, kind
FROM found ORDER BY 1, 2, 3, 4 LIMIT {shown}
