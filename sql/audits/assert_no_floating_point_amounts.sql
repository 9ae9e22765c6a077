-- No column can hold an amount as a double, or as a 128-bit integer that Parquet would turn into one. The list names quotients for plots
-- and durations; of raw columns, what the source itself gives as a share, a place or a price says so in its unit.
-- Protects: raw.*, staging.*, mart.*, firn.*
-- Severity: blocks
SELECT schema_name || '.' || table_name AS relation, column_name, data_type
FROM duckdb_columns()
WHERE schema_name IN ('raw', 'staging', 'mart', 'firn')
  AND regexp_matches(data_type, 'DOUBLE|FLOAT|HUGEINT')
  AND schema_name || '.' || table_name || '.' || column_name NOT IN (
    'mart.metric.value',
    'mart.reconciliation.own_value',
    'mart.reconciliation.served_value',
    'mart.metric_daily.avg_gas_price',
    'mart.metric_daily.avg_gps',
    'mart.metric_daily.max_gps',
    'mart.metric_daily.avg_tps',
    'mart.metric_daily.max_tps',
    'firn.model.seconds'
  )
  AND NOT (schema_name = 'raw' AND regexp_matches("comment", '\[(percent|degrees|currency)\]$'))
