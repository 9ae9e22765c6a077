-- Whoever makes a token writes its decimals: beyond the 8 bits of ERC-20 they say nothing. As many zeros as some claim would end every query.
CREATE OR REPLACE MACRO amount_in_tokens(amount, decimals) AS CASE
  WHEN decimals = 0 THEN TRY_CAST(CAST(amount AS VARCHAR) AS DECIMAL(38,18))
  WHEN decimals BETWEEN 1 AND 255 THEN TRY_CAST(
    left(lpad(CAST(amount AS VARCHAR), CAST(greatest(length(CAST(amount AS VARCHAR)), decimals + 1) AS INTEGER), '0'), -decimals)
    || '.' || left(right(lpad(CAST(amount AS VARCHAR), CAST(greatest(length(CAST(amount AS VARCHAR)), decimals + 1) AS INTEGER), '0'), decimals), 18)
    AS DECIMAL(38,18))
END;

COMMENT ON TABLE firn.schema_change IS 'First sight of members that a schema does not know, and of those whose value a column does not take; their values are in _extra.';
COMMENT ON COLUMN firn.schema_change."member" IS 'Path of the member; with (not taken) behind it where only its value is odd.';

-- What was built by the macro of before is built anew.
UPDATE firn.build_state SET models_hash = '';
