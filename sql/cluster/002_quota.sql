-- One quota for all workers. A row is an origin with a key; requests are told apart by the order in which they were admitted.
CREATE TABLE firn.quota (
  name text PRIMARY KEY,
  -- What the server announces: so much in any window, and what was left when it answered the request `told_by`.
  window_limit numeric,
  window_ms bigint NOT NULL DEFAULT 60000,
  remaining numeric,
  reset_at timestamptz,
  told_by bigint,
  -- Until when it wants no request.
  paused_until timestamptz,
  day date,
  used_today numeric NOT NULL DEFAULT 0
);

CREATE TABLE firn.request (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL REFERENCES firn.quota,
  weight numeric NOT NULL,
  sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  answered_at timestamptz,
  remaining numeric
);
CREATE INDEX request_sent ON firn.request (name, sent_at);

-- Requests that must have left the window before there is room: all older than the newest ones that fit in `room` together. An amount above the limit
-- waits until nothing else is in the window.
CREATE FUNCTION firn.too_many(of text, ms bigint, by_count boolean, room numeric, moment timestamptz) RETURNS TABLE (sent_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT w.sent_at FROM (
    SELECT r.sent_at, sum(CASE WHEN by_count THEN 1 ELSE r.weight END) OVER (ORDER BY r.id DESC) AS newer
    FROM firn.request AS r WHERE r.name = of AND r.sent_at > moment - ms * interval '1 millisecond'
  ) AS w WHERE w.newer > greatest(room, 0)
$$;

-- Notes the answer to a request. Of one window the lowest number counts: answers do not come in the order in which the server gave them.
CREATE FUNCTION firn.answered(request_id bigint, said_limit numeric, said_window_ms bigint, said_remaining numeric, reset_ms bigint, pause_ms bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  of text;
  q firn.quota;
  moment timestamptz;
  says_reset timestamptz;
BEGIN
  UPDATE firn.request SET answered_at = clock_timestamp(), remaining = said_remaining WHERE id = request_id RETURNING name INTO of;
  IF of IS NULL OR (said_limit IS NULL AND said_remaining IS NULL AND pause_ms IS NULL) THEN RETURN; END IF;
  SELECT * INTO q FROM firn.quota WHERE name = of FOR UPDATE;
  moment := clock_timestamp();
  says_reset := moment + reset_ms * interval '1 millisecond';
  IF said_window_ms > 3600000 THEN q.window_limit := NULL;
  ELSE
    q.window_limit := coalesce(said_limit, q.window_limit);
    q.window_ms := coalesce(said_window_ms, q.window_ms);
  END IF;
  IF said_remaining IS NOT NULL THEN
    IF q.remaining IS NULL OR q.reset_at IS NULL OR q.reset_at <= moment OR says_reset IS NULL OR says_reset > q.reset_at + interval '1500 milliseconds' THEN
      -- Another window. An older answer knows nothing of it.
      IF request_id > coalesce(q.told_by, 0) THEN
        q.remaining := said_remaining;
        q.reset_at := says_reset;
        q.told_by := request_id;
      END IF;
    ELSE
      q.remaining := least(q.remaining, said_remaining);
      q.told_by := greatest(q.told_by, request_id);
    END IF;
  END IF;
  q.paused_until := greatest(q.paused_until, moment + pause_ms * interval '1 millisecond');
  UPDATE firn.quota SET window_limit = q.window_limit, window_ms = q.window_ms, remaining = q.remaining, reset_at = q.reset_at,
    told_by = q.told_by, paused_until = q.paused_until WHERE name = of;
END $$;
