-- What models and audits call and Trino does not know, in Trino's words: the macros of sql/schema, and the functions of DuckDB that models
-- may use. Trino has no macros: a call becomes this text, with its arguments in the places of the parameters, and getvariable(..) becomes a
-- literal. No function has to exist in Trino, and a scope of literals is what its scans can be cut by.
-- A body that needs an exact type casts to it: there is no signature that would. No body calls another.

CREATE OR REPLACE MACRO quotient(n, d) AS CASE
  WHEN d > 0 THEN CAST(
    CAST(CAST((
      CAST(rpad(CAST(CAST(n AS DECIMAL(38,0)) AS VARCHAR), greatest(37, length(CAST(CAST(n AS DECIMAL(38,0)) AS VARCHAR))), '0') AS DECIMAL(38,0))
      - CAST(rpad(CAST(CAST(n AS DECIMAL(38,0)) AS VARCHAR), greatest(37, length(CAST(CAST(n AS DECIMAL(38,0)) AS VARCHAR))), '0') AS DECIMAL(38,0)) % CAST(d AS DECIMAL(38,0))
    ) / CAST(d AS DECIMAL(38,0)) AS DECIMAL(38,0)) AS VARCHAR)
    || CASE
      WHEN CAST(rpad(CAST(CAST(n AS DECIMAL(38,0)) AS VARCHAR), greatest(37, length(CAST(CAST(n AS DECIMAL(38,0)) AS VARCHAR))), '0') AS DECIMAL(38,0)) % CAST(d AS DECIMAL(38,0)) = 0 THEN '0'
      ELSE '1'
    END
    || 'e-' || CAST(greatest(1, 38 - length(CAST(CAST(n AS DECIMAL(38,0)) AS VARCHAR))) AS VARCHAR)
    AS DOUBLE)
END;

-- A quotient of decimals is rounded: the remainder is taken off first.
CREATE OR REPLACE MACRO whole_quotient(n, d) AS CASE
  WHEN d <> 0 THEN CAST((CAST(n AS DECIMAL(38,0)) - CAST(n AS DECIMAL(38,0)) % CAST(d AS DECIMAL(38,0))) / CAST(d AS DECIMAL(38,0)) AS DECIMAL(38,0))
END;

-- date_diff would cut both moments to milliseconds.
CREATE OR REPLACE MACRO seconds_between(earlier, later) AS (
  CAST(round(to_unixtime(with_timezone(later, 'UTC')) * 1e6) AS BIGINT) - CAST(round(to_unixtime(with_timezone(earlier, 'UTC')) * 1e6) AS BIGINT)
) / 1000000;

CREATE OR REPLACE MACRO end_of_bucket(bucket_interval, moment) AS CASE bucket_interval
  WHEN 'hour' THEN moment + INTERVAL '1' HOUR
  WHEN 'day' THEN moment + INTERVAL '1' DAY
  WHEN 'week' THEN moment + INTERVAL '7' DAY
  ELSE moment + INTERVAL '1' MONTH
END;

CREATE OR REPLACE MACRO wide_sum(x) AS CAST(sum(CAST(x AS DECIMAL(38,0))) AS DECIMAL(38,0));

CREATE OR REPLACE MACRO in_blocks(chain, height) AS (
  getvariable('firn_first') IS NULL
  OR (chain = getvariable('firn_chain') AND height BETWEEN getvariable('firn_first') AND getvariable('firn_last'))
);

CREATE OR REPLACE MACRO near_blocks(chain, height) AS (
  getvariable('firn_first') IS NULL
  OR (chain = getvariable('firn_chain') AND height BETWEEN getvariable('firn_first') - 1 AND getvariable('firn_last'))
);

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

CREATE OR REPLACE MACRO from_bucket(chain, bucket_interval, moment) AS (
  getvariable('firn_series_from') IS NULL
  OR (chain = getvariable('firn_chain') AND moment >= date_trunc(bucket_interval, CAST(getvariable('firn_series_from') AS TIMESTAMP)))
);

CREATE OR REPLACE MACRO seen_since(chain, moment) AS (
  getvariable('firn_since') IS NULL OR (chain = getvariable('firn_chain') AND moment >= getvariable('firn_since'))
);

CREATE OR REPLACE MACRO variant() AS coalesce(getvariable('firn_variant'), '');

CREATE OR REPLACE MACRO in_new_loads(load) AS (getvariable('firn_audited_load') IS NULL OR load > getvariable('firn_audited_load'));

CREATE OR REPLACE MACRO position_says(said, named, place) AS replace(said, '}', ',') LIKE '%"' || named || '":' || CAST(place AS VARCHAR) || ',%';

-- Coverage, and tables whose headers say which rows changed, are built whole there.
CREATE OR REPLACE MACRO in_chains(chain) AS (true);
CREATE OR REPLACE MACRO in_transactions(tx) AS (true);
CREATE OR REPLACE MACRO in_utxos(utxo) AS (true);
CREATE OR REPLACE MACRO in_heights(height) AS (true);
CREATE OR REPLACE MACRO in_days(moment) AS (true);

CREATE OR REPLACE MACRO wei_in_coins(amount) AS CAST(CAST(amount AS DECIMAL(38,0)) * DECIMAL '0.000000000000000001' AS DECIMAL(38,18));

CREATE OR REPLACE MACRO navax_in_avax(amount) AS CAST(CAST(amount AS DECIMAL(38,0)) * DECIMAL '0.000000001' AS DECIMAL(38,18));

CREATE OR REPLACE MACRO amount_in_tokens(amount, decimals) AS CASE
  WHEN decimals = 0 THEN TRY_CAST(CAST(amount AS VARCHAR) AS DECIMAL(38,18))
  WHEN decimals BETWEEN 1 AND 255 THEN TRY_CAST(
    substr(lpad(CAST(amount AS VARCHAR), greatest(length(CAST(amount AS VARCHAR)), CAST(decimals AS BIGINT) + 1), '0'), 1, greatest(length(CAST(amount AS VARCHAR)), CAST(decimals AS BIGINT) + 1) - decimals)
    || '.' || substr(substr(lpad(CAST(amount AS VARCHAR), greatest(length(CAST(amount AS VARCHAR)), CAST(decimals AS BIGINT) + 1), '0'), -CAST(decimals AS BIGINT)), 1, 18)
    AS DECIMAL(38,18))
END;

-- Seconds are added as intervals: date_add takes none beyond 2^31, and locktimes lie there.
CREATE OR REPLACE MACRO unix_moment(seconds) AS CASE
  WHEN seconds > 0 AND seconds < 253402300800 THEN TIMESTAMP '1970-01-01 00:00:00.000000' + CAST(seconds AS BIGINT) * INTERVAL '1' SECOND
END;

CREATE OR REPLACE MACRO abi_word(data, place) AS CASE
  WHEN length(data) >= 66 + CAST(place AS BIGINT) * 64 THEN substr(data, 3 + CAST(place AS BIGINT) * 64, 64)
END;

-- substr of a negative place is empty where the text is shorter.
CREATE OR REPLACE MACRO word_address(word) AS '0x' || lower(substr(word, greatest(1, length(word) - 39)));

CREATE OR REPLACE MACRO word_count(word) AS CASE
  WHEN substr(word, 1, 56) = '00000000000000000000000000000000000000000000000000000000' AND substr(word, 57, 1) < '8'
  THEN from_base(substr(word, 57, 8), 16)
END;

CREATE OR REPLACE MACRO word_quarter(word, quarter) AS (
  CAST(from_base(substr(word, 1 + 16 * quarter, 8), 16) AS DECIMAL(38,0)) * 4294967296 + from_base(substr(word, 9 + 16 * quarter, 8), 16)
);

-- 4b3b..: 10^38, the first number that 38 digits do not hold.
CREATE OR REPLACE MACRO word_amount(word) AS CASE
  WHEN substr(word, 1, 32) = '00000000000000000000000000000000' AND lower(substr(word, 33, 32)) < '4b3b4ca85a86c47a098a224000000000' THEN
    ((CAST(from_base(substr(word, 33, 8), 16) AS DECIMAL(38,0)) * 4294967296 + from_base(substr(word, 41, 8), 16)) * 4294967296
      + from_base(substr(word, 49, 8), 16)) * 4294967296 + from_base(substr(word, 57, 8), 16)
END;

CREATE OR REPLACE MACRO digits_above(total) AS CAST(
  (CAST(total AS DECIMAL(38,0)) - CAST(total AS DECIMAL(38,0)) % DECIMAL '1000000000000000000') / DECIMAL '1000000000000000000' AS DECIMAL(38,0)
);

CREATE OR REPLACE MACRO digits_text(total) AS lpad(CAST(CAST(total AS DECIMAL(38,0)) % DECIMAL '1000000000000000000' AS VARCHAR), 18, '0');

CREATE OR REPLACE MACRO amount_product(n, amount) AS TRY(CAST(CAST(n AS DECIMAL(38,0)) * amount AS DECIMAL(38,0)));

-- Sums of the part above 19 digits and of the rest: neither can pass 38 digits, and what they make together is tried.
CREATE OR REPLACE MACRO amount_sum(x) AS TRY(CAST(
  sum((CAST(x AS DECIMAL(38,0)) - CAST(x AS DECIMAL(38,0)) % DECIMAL '10000000000000000000') / DECIMAL '10000000000000000000') * DECIMAL '10000000000000000000'
    + sum(CAST(x AS DECIMAL(38,0)) % DECIMAL '10000000000000000000')
  AS DECIMAL(38,0)));

-- Functions of DuckDB.
CREATE OR REPLACE MACRO len(list) AS cardinality(list);
CREATE OR REPLACE MACRO list_extract(list, place) AS element_at(list, place);
CREATE OR REPLACE MACRO list_slice(list, earliest, latest) AS slice(list, earliest, greatest(0, latest - earliest + 1));
CREATE OR REPLACE MACRO list_sort(list) AS array_sort(list);
CREATE OR REPLACE MACRO list_contains(list, item) AS contains(list, item);
CREATE OR REPLACE MACRO list_transform(list, lambda) AS transform(list, lambda);
CREATE OR REPLACE MACRO epoch_ms(moment) AS CAST(round(to_unixtime(with_timezone(moment, 'UTC')) * 1e6) AS BIGINT) / 1000;
CREATE OR REPLACE MACRO array_to_string(list, separator) AS array_join(list, separator);
CREATE OR REPLACE MACRO octet_length(bytes) AS length(bytes);
CREATE OR REPLACE MACRO left(characters, size) AS substr(characters, 1, size);
CREATE OR REPLACE MACRO regexp_matches(characters, pattern) AS regexp_like(characters, pattern);
CREATE OR REPLACE MACRO json_extract_string(document, path) AS json_extract_scalar(document, path);
-- A sequence holds 10,000 items at most: enough for the days of 27 years, and not for the places of a list.
CREATE OR REPLACE MACRO generate_series(earliest, latest, step) AS sequence(earliest, latest, step);
CREATE OR REPLACE MACRO range(size) AS flatten(
  transform(sequence(0, (CAST(size AS BIGINT) - 1) / 10000), a -> sequence(a * 10000, least(a * 10000 + 9999, CAST(size AS BIGINT) - 1)))
);
