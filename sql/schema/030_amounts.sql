-- Amounts and words of the EVM for models. Like the arithmetic of 003, these are what another engine spells in its own way. None of them
-- calls another: the reader database makes them in the order of their names.

-- Whole coins of an amount in wei. Exact: the digits stay, the point moves.
CREATE OR REPLACE MACRO wei_in_coins(amount) AS CAST(amount * CAST(0.000000000000000001 AS DECIMAL(18,18)) AS DECIMAL(38,18));

-- AVAX of an amount in nAVAX, as exact.
CREATE OR REPLACE MACRO navax_in_avax(amount) AS CAST(amount * CAST(0.000000001 AS DECIMAL(9,9)) AS DECIMAL(38,18));

-- Whole tokens of an amount, cut after 18 decimals; NULL where 38 digits do not hold it or the decimals are unknown.
CREATE OR REPLACE MACRO amount_in_tokens(amount, decimals) AS CASE
  WHEN decimals = 0 THEN TRY_CAST(CAST(amount AS VARCHAR) AS DECIMAL(38,18))
  WHEN decimals > 0 THEN TRY_CAST(
    left(lpad(CAST(amount AS VARCHAR), CAST(greatest(length(CAST(amount AS VARCHAR)), decimals + 1) AS INTEGER), '0'), -decimals)
    || '.' || left(right(lpad(CAST(amount AS VARCHAR), CAST(greatest(length(CAST(amount AS VARCHAR)), decimals + 1) AS INTEGER), '0'), decimals), 18)
    AS DECIMAL(38,18))
END;

-- A moment from Unix seconds; NULL for 0 (none) and for what lies beyond the year 9999.
CREATE OR REPLACE MACRO unix_moment(seconds) AS CASE
  WHEN seconds > 0 AND seconds < 253402300800 THEN make_timestamp(CAST(seconds AS BIGINT) * 1000000)
END;

-- Word number `place` (from 0) of ABI-encoded data in hex: 64 digits, or NULL where the data ends before it does.
CREATE OR REPLACE MACRO abi_word(data, place) AS CASE
  WHEN length(data) >= 66 + CAST(place AS BIGINT) * 64 THEN substr(data, 3 + CAST(place AS BIGINT) * 64, 64)
END;

-- An address out of a word or topic: its last 20 bytes, whatever stands before them.
CREATE OR REPLACE MACRO word_address(word) AS '0x' || lower(right(word, 40));

-- A word as a place or a length; NULL from 2^31 on.
CREATE OR REPLACE MACRO word_count(word) AS CASE
  WHEN left(word, 56) = '00000000000000000000000000000000000000000000000000000000' AND substr(word, 57, 1) < '8'
  THEN CAST('0x' || right(word, 8) AS BIGINT)
END;

-- A quarter of a word, from the left.
CREATE OR REPLACE MACRO word_quarter(word, quarter) AS CAST(CAST('0x' || substr(word, 1 + 16 * quarter, 16) AS UBIGINT) AS HUGEINT);

-- A word as a number; NULL where 38 digits do not hold it.
CREATE OR REPLACE MACRO word_amount(word) AS CASE
  WHEN left(word, 32) = '00000000000000000000000000000000' THEN TRY_CAST(
    CAST(CAST('0x' || substr(word, 33, 16) AS UBIGINT) AS UHUGEINT) * CAST(18446744073709551616 AS UHUGEINT)
      + CAST(CAST('0x' || substr(word, 49, 16) AS UBIGINT) AS UHUGEINT)
    AS DECIMAL(38,0))
END;

-- What a sum has above its last 18 decimal digits, and these digits, with zeros in front.
CREATE OR REPLACE MACRO digits_above(total) AS total // 1000000000000000000;
CREATE OR REPLACE MACRO digits_text(total) AS lpad(CAST(total % 1000000000000000000 AS VARCHAR), 18, '0');
