-- Tables and views of a catalogue's published schemas with their columns and comments, in a fixed order.
WITH relation AS (
  -- Rows that were deleted count until their blocks are free: 0 is exact.
  SELECT schema_name, table_name AS name, comment, NULL AS sql, estimated_size = 0 AS is_empty
  FROM duckdb_tables() WHERE database_name = {catalogue} AND NOT internal AND NOT temporary
  UNION ALL
  SELECT schema_name, view_name, comment, sql, false
  FROM duckdb_views() WHERE database_name = {catalogue} AND NOT internal AND NOT temporary
)
SELECT relation.schema_name AS "schema", relation.name, relation.comment, relation.sql, relation.is_empty,
  c.column_name AS "column", c.data_type AS type, c.comment AS column_comment
FROM relation
JOIN duckdb_columns() AS c
  ON c.database_name = {catalogue} AND c.schema_name = relation.schema_name AND c.table_name = relation.name
WHERE relation.schema_name IN ({schemas})
ORDER BY relation.schema_name, relation.name, c.column_index
