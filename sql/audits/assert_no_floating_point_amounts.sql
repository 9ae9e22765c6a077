/*
claim: >-
  No column can hold an amount as a double, or as a 128-bit integer that Parquet would turn into one. The list names quotients for plots
  and durations. No raw column may be one, whatever it holds: numbers come as integers, decimals or text.
protects: [raw.*, staging.*, mart.*, firn.*]
severity: blocks
*/
SELECT table_schema || '.' || table_name AS relation, column_name, data_type
FROM information_schema.columns
WHERE table_schema IN ('raw', 'staging', 'mart', 'firn')
  AND regexp_matches(upper(data_type), 'DOUBLE|FLOAT|REAL|HUGEINT')
  AND table_schema || '.' || table_name || '.' || column_name NOT IN (
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
