-- An audit whose SQL changed claims something else: it has passed no load yet.
ALTER TABLE firn.audit_state ADD COLUMN IF NOT EXISTS sql_hash VARCHAR;
COMMENT ON COLUMN firn.audit_state.sql_hash IS 'Hash of the SQL with which it passed; NULL where firn 0.1 noted it.';
COMMENT ON TABLE firn.audit IS 'What each audit that there is found in each run.';
