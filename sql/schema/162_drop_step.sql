-- What was dropped is told beside the state: noted here with the drop itself, it is told by the next command where this one was killed.
COMMENT ON COLUMN firn.step.step IS 'audits, reconcile or publish; drop: what was dropped and is not told beside the state yet.';
