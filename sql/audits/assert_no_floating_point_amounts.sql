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
  -- Its columns are those of mart.metric: which of them are quotients the metrics say, also those of an extension.
  AND table_schema || '.' || table_name <> 'mart.metric_daily'
  AND table_schema || '.' || table_name || '.' || column_name NOT IN (
    'mart.metric.value',
    'mart.reconciliation.own_value',
    'mart.reconciliation.served_value',
    'firn.model.seconds'
  )
