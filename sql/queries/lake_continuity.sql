-- Positions of a chain that are missing or doubled, and rows whose parent is not the row before, the first {shown} of them.
WITH known(name, from_index, to_index) AS (VALUES {known}),
placed AS (
  SELECT {chain} AS chain, {position} AS place, {parent} AS parent, {index} AS own_index,
    lag({position}) OVER in_order AS last_place, lag({own}) OVER in_order AS last_own, lag({parent}) OVER in_order AS last_parent,
    lag({index}) OVER in_order AS last_index
  FROM {table}
  WINDOW in_order AS (PARTITION BY {chain} ORDER BY {position})
),
-- A row without a parent was not decoded, and its own id is not proven either.
odd AS (
  SELECT *, {partition} AS name FROM placed AS p
  WHERE place > last_place + 1 OR (parent <> last_own AND last_parent IS NOT NULL)
),
-- Where a gap is known between two rows, or something is still to be read, as many containers may be missing as it says; which heights those had nobody knows. One of none
-- stands where the source's counting itself leaves out: the parent is another there. Counted in one pass: there may be thousands of gaps and of such rows.
begun AS (
  SELECT chain, place, sum(missing) OVER in_order AS missing, sum(gap) OVER in_order AS gaps
  FROM (
    SELECT chain, place, name, last_index AS until, 0 AS missing, 0 AS gap FROM odd
    UNION ALL SELECT chain, place, name, own_index, 0, 0 FROM odd
    UNION ALL SELECT NULL, NULL, name, from_index, greatest(to_index - from_index + 1, 0), 1 FROM known
  ) AS e
  WINDOW in_order AS (PARTITION BY name ORDER BY until)
),
allowed AS (
  SELECT chain, place, max(missing) - min(missing) AS missing
  FROM begun
  WHERE place IS NOT NULL
  GROUP BY chain, place
  HAVING max(gaps) > min(gaps)
),
found AS (
  SELECT o.chain, CASE WHEN o.place > o.last_place + 1 THEN o.last_place + 1 ELSE o.place END AS place,
    CASE WHEN o.place > o.last_place + 1 THEN o.place - 1 ELSE o.place END AS until,
    CASE WHEN o.place > o.last_place + 1 THEN 'gap' ELSE 'parent' END AS kind
  FROM odd AS o
  LEFT JOIN allowed AS a ON a.chain IS NOT DISTINCT FROM o.chain AND a.place = o.place
  WHERE o.place > o.last_place AND (a.place IS NULL OR ({counted} AND a.missing < o.place - o.last_place - 1))
  UNION ALL SELECT chain, place, place, 'double' FROM placed WHERE place = last_place
)
SELECT CAST(chain AS VARCHAR) AS chain, CAST(place AS BIGINT) AS place, CAST(until AS BIGINT) AS until, kind
FROM found ORDER BY 1, 2, 3, 4 LIMIT {shown}
