-- What a load cost: requests as they went over the wire, retries included, a batch of calls as one.
ALTER TABLE firn.load ADD COLUMN IF NOT EXISTS requests BIGINT;
COMMENT ON COLUMN firn.load.requests IS 'HTTP requests that were sent for it, with retries and looks; NULL in loads of firn 0.1.';
