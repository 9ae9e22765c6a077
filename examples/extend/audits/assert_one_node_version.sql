/*
claim: A node runs one version at a time.
protects: [mart.node_version]
severity: warns
*/
SELECT count(*) AS versions FROM mart.node_version WHERE is_current HAVING count(*) > 1
