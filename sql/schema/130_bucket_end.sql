-- Start of the bucket after the one of an interval that begins at a moment.
CREATE OR REPLACE MACRO end_of_bucket(bucket_interval, moment) AS CASE bucket_interval
  WHEN 'hour' THEN moment + INTERVAL '1' HOUR
  WHEN 'day' THEN moment + INTERVAL '1' DAY
  WHEN 'week' THEN moment + INTERVAL '7' DAY
  ELSE moment + INTERVAL '1' MONTH
END;
