-- Relations that readers see in their last good version, because an audit that blocks found rows, or their model cannot be built.
CREATE TABLE IF NOT EXISTS firn.held_back (
  relation VARCHAR NOT NULL,
  audit VARCHAR NOT NULL,
  since TIMESTAMP NOT NULL,
  reason VARCHAR NOT NULL
);
COMMENT ON TABLE firn.held_back IS 'Relations that are shown in their last good version (or not at all, where there is none), with what holds them back. Empty where all is well.';
COMMENT ON COLUMN firn.held_back."relation" IS 'Table or view, with its schema.';
COMMENT ON COLUMN firn.held_back."audit" IS 'Audit that found rows, or model that cannot be built.';
COMMENT ON COLUMN firn.held_back."since" IS 'Since when [UTC].';
COMMENT ON COLUMN firn.held_back."reason" IS 'What was found.';

ALTER TABLE firn.audit ADD COLUMN IF NOT EXISTS severity VARCHAR;
ALTER TABLE firn.audit ADD COLUMN IF NOT EXISTS problem VARCHAR;
COMMENT ON COLUMN firn.audit."severity" IS 'blocks: what it protects keeps its last good version while it finds rows. warns: two sources disagree; published.';
COMMENT ON COLUMN firn.audit."problem" IS 'Why it could not be run; NULL where it was.';
