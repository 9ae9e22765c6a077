-- Whether a bucket belongs to the cumulative rows being built: what is counted from genesis changes in every later one too, and in the week and month that hold the first day.
CREATE OR REPLACE MACRO from_bucket(chain, bucket_interval, moment) AS (
  getvariable('firn_series_from') IS NULL
  OR (chain = getvariable('firn_chain') AND moment >= date_trunc(bucket_interval, CAST(getvariable('firn_series_from') AS TIMESTAMP)))
);

-- What was built by the macro of before is built anew.
UPDATE firn.build_state SET models_hash = '';
