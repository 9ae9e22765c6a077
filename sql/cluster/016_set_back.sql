-- In place of older ones, which asked a server that does not say when it has room sooner than an own quota of a minute lets, and held requests that were
-- sent before the clock of the control database was set back for requests of this minute.
-- Admits a request of a weight: gives its id, or how long to wait. An answer that never came counts as under way for as long as a request may take.
-- A wait of -1: the own quota of the day is used up.
CREATE OR REPLACE FUNCTION firn.admit(of text, cost numeric, per_minute numeric, per_day numeric, OUT request_id bigint, OUT wait_ms bigint, OUT used numeric)
LANGUAGE plpgsql AS $$
DECLARE
  q firn.quota;
  moment timestamptz;
  counts_requests boolean;
  price numeric;
  spent numeric;
  free_at timestamptz;
  until timestamptz := '-infinity';
  is_under_way boolean;
BEGIN
  INSERT INTO firn.quota (name) VALUES (of) ON CONFLICT DO NOTHING;
  SELECT * INTO q FROM firn.quota WHERE name = of FOR UPDATE;
  moment := clock_timestamp();
  -- The clock was set back since: what was to come then would be waited for as long as it was ahead.
  DELETE FROM firn.request WHERE name = of AND sent_at > moment;
  IF FOUND THEN
    UPDATE firn.quota SET paused_until = NULL, remaining = NULL, reset_at = NULL WHERE name = of RETURNING * INTO q;
  END IF;
  DELETE FROM firn.request WHERE name = of AND sent_at < moment - greatest(q.window_ms, 300000) * interval '1 millisecond';
  used := CASE WHEN q.day = (moment AT TIME ZONE 'UTC')::date THEN q.used_today ELSE 0 END;
  IF per_day IS NOT NULL AND used + cost > per_day THEN
    wait_ms := -1;
    RETURN;
  END IF;
  -- Six answers to heavier requests whose numbers follow each other: the server counts requests, not compute units.
  SELECT count(*) = 6 AND max(r.remaining) - min(r.remaining) = 5 AND count(DISTINCT r.remaining) = 6 AND min(r.weight) > 1 INTO counts_requests
  FROM (SELECT remaining, weight FROM firn.request WHERE name = of AND remaining IS NOT NULL ORDER BY id DESC LIMIT 6) AS r;
  price := CASE WHEN counts_requests THEN 1 ELSE cost END;
  until := greatest(until, q.paused_until);
  IF per_minute IS NOT NULL THEN
    SELECT max(sent_at) + interval '1 minute' INTO free_at FROM firn.too_many(of, 60000, false, per_minute - cost, moment);
    until := greatest(until, free_at);
  END IF;
  IF q.window_limit IS NOT NULL THEN
    SELECT max(sent_at) + q.window_ms * interval '1 millisecond' INTO free_at
    FROM firn.too_many(of, q.window_ms, counts_requests, q.window_limit - price, moment);
    until := greatest(until, free_at);
  END IF;
  IF q.remaining IS NOT NULL AND (q.reset_at IS NULL OR q.reset_at > moment) THEN
    SELECT coalesce(sum(CASE WHEN counts_requests THEN 1 ELSE weight END), 0), coalesce(bool_or(answered_at IS NULL), false) INTO spent, is_under_way
    FROM firn.request WHERE name = of AND (id > q.told_by OR (answered_at IS NULL AND sent_at > moment - interval '5 minutes'));
    IF q.remaining - spent < price THEN
      -- An answer under way may say that there is room again.
      IF is_under_way THEN until := greatest(until, least(moment + interval '50 milliseconds', q.reset_at));
      -- A server that does not say when there will be room is asked by a single request after a second, as soon as all else lets.
      ELSIF q.reset_at IS NOT NULL OR EXISTS (SELECT 1 FROM firn.request WHERE name = of AND sent_at > moment - interval '1 second')
      THEN until := greatest(until, coalesce(q.reset_at, moment + interval '1 second'));
      END IF;
    END IF;
  END IF;
  IF until > moment THEN
    wait_ms := ceil(extract(epoch FROM until - moment) * 1000);
    RETURN;
  END IF;
  INSERT INTO firn.request (name, weight, sent_at) VALUES (of, cost, moment) RETURNING id INTO request_id;
  UPDATE firn.quota SET day = (moment AT TIME ZONE 'UTC')::date, used_today = used + cost WHERE name = of;
  used := used + cost;
END $$;
