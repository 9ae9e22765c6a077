-- A node runs one version at a time.
-- Protects: mart.node_version
-- Severity: warns

SELECT count(*) AS versions FROM mart.node_version WHERE is_current HAVING count(*) > 1
