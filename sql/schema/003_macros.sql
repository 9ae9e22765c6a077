-- What models and audits call beside standard SQL. Only these differ between engines: the first four are the arithmetic
-- that DuckDB, Trino and Spark spell differently; the rest are a model's parameters, which in DuckDB are session variables.
-- A notebook that sets no variable sees whole tables and the documented reading of every metric.

-- Nearest double of the exact quotient of two integers, n >= 0; NULL where d is 0 or NULL. For plots: compare n and d themselves.
CREATE OR REPLACE MACRO quotient(n, d) AS CASE
  WHEN d > 0 THEN CAST(
    CAST(CAST(CAST(n AS VARCHAR) || repeat('0', 37 - length(CAST(n AS VARCHAR))) AS HUGEINT) // CAST(d AS HUGEINT) AS VARCHAR)
    || CASE
         WHEN CAST(CAST(n AS VARCHAR) || repeat('0', 37 - length(CAST(n AS VARCHAR))) AS HUGEINT) % CAST(d AS HUGEINT) = 0 THEN '0'
         ELSE '1'
       END
    || 'e-' || CAST(greatest(1, 38 - length(CAST(n AS VARCHAR))) AS VARCHAR) AS DOUBLE)
END;

-- Whole part of a quotient of non-negative integers; NULL where d is 0 or NULL.
CREATE OR REPLACE MACRO whole_quotient(n, d) AS CAST(CAST(n AS HUGEINT) // nullif(CAST(d AS HUGEINT), 0) AS DECIMAL(38,0));

-- Whole seconds from one moment to a later one.
CREATE OR REPLACE MACRO seconds_between(earlier, later) AS (epoch_us(later) - epoch_us(earlier)) // 1000000;

-- Exact sum; more than 38 digits is an error, never a rounded number.
CREATE OR REPLACE MACRO wide_sum(x) AS CAST(CAST(sum(x) AS HUGEINT) AS DECIMAL(38,0));

-- Whether a block belongs to what is being built: heights firn_first..firn_last of the chain firn_chain.
CREATE OR REPLACE MACRO in_blocks(chain, height) AS (
  getvariable('firn_first') IS NULL
  OR (chain = getvariable('firn_chain') AND height BETWEEN getvariable('firn_first') AND getvariable('firn_last'))
);

-- As in_blocks, with the block before the first: a block's distance to its predecessor needs it.
CREATE OR REPLACE MACRO near_blocks(chain, height) AS (
  getvariable('firn_first') IS NULL
  OR (chain = getvariable('firn_chain') AND height BETWEEN getvariable('firn_first') - 1 AND getvariable('firn_last'))
);

-- Whether a moment lies in the buckets being built: those of each interval that a stretch of time touches. The widest bounds come
-- first and alone: they are what spares a scan of the whole history.
CREATE OR REPLACE MACRO in_buckets(chain, bucket_interval, moment) AS (
  getvariable('firn_month_from') IS NULL
  OR (
    chain = getvariable('firn_chain')
    AND moment >= getvariable('firn_widest_from') AND moment < getvariable('firn_widest_until')
    AND CASE bucket_interval
      WHEN 'hour' THEN moment >= getvariable('firn_hour_from') AND moment < getvariable('firn_hour_until')
      WHEN 'day' THEN moment >= getvariable('firn_day_from') AND moment < getvariable('firn_day_until')
      WHEN 'week' THEN moment >= getvariable('firn_week_from') AND moment < getvariable('firn_week_until')
      ELSE moment >= getvariable('firn_month_from') AND moment < getvariable('firn_month_until')
    END
  )
);

-- Whether a day belongs to the cumulative rows being built: what is counted from genesis changes in every later day too.
CREATE OR REPLACE MACRO from_bucket(chain, bucket_interval, moment) AS (
  getvariable('firn_series_from') IS NULL
  OR (chain = getvariable('firn_chain') AND moment >= getvariable('firn_series_from'))
);

-- Whether a moment is late enough to matter for the first sights being built: all before firn_since are known already.
CREATE OR REPLACE MACRO seen_since(chain, moment) AS (
  getvariable('firn_since') IS NULL OR (chain = getvariable('firn_chain') AND moment >= getvariable('firn_since'))
);

-- The reading of a metric's definition that is asked for: the name of one of its variants, or '' for the documented one.
CREATE OR REPLACE MACRO variant() AS coalesce(getvariable('firn_variant'), '');

-- Whether a row came with a load that an audit has not passed yet. By hand, without the variable: every row.
CREATE OR REPLACE MACRO in_new_loads(load) AS (getvariable('firn_audited_load') IS NULL OR load > getvariable('firn_audited_load'));
