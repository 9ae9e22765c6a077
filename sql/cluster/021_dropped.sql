-- Raw rows that were dropped because of their age before their warehouse was moved here: nothing wants them back.
CREATE TABLE firn.dropped (
  "table" text NOT NULL,
  before timestamp NOT NULL,
  "rows" bigint NOT NULL,
  dropped_at timestamp NOT NULL
);
