-- What the phases of a run did last, and for which state of the warehouse: where that is still the same, there is nothing to do again.
CREATE TABLE IF NOT EXISTS firn.step (
  step VARCHAR NOT NULL,
  state VARCHAR NOT NULL,
  result VARCHAR NOT NULL,
  done_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE firn.step IS 'What the phases of a run did last, and for which state of the warehouse.';
COMMENT ON COLUMN firn.step.step IS 'audits, reconcile or publish.';
COMMENT ON COLUMN firn.step.state IS 'Text that changes with whatever the step reads.';
COMMENT ON COLUMN firn.step.result IS 'What came of it, as JSON.';
COMMENT ON COLUMN firn.step.done_at IS 'When [UTC].';
