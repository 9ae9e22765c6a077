COMMENT ON COLUMN mart.reconciliation.served_settled IS 'A newer bucket is served, and this one ended 72 h before the newest block or served bucket, or answers 24 h apart agree that came after it.';
