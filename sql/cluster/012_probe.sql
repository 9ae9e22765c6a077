-- A server that has no room and does not say when it will have some is asked by a single request after a second: no sooner than what else is known lets,
-- such as the own quota of a minute, which was passed over.
DO $$
BEGIN
  EXECUTE regexp_replace(
    replace(
      pg_get_functiondef('firn.admit'::regproc),
      'ELSE until := greatest(until, coalesce(q.reset_at,',
      'ELSIF q.reset_at IS NOT NULL OR EXISTS (SELECT 1 FROM firn.request WHERE name = of AND sent_at > moment - interval ''1 second'')
      THEN until := greatest(until, coalesce(q.reset_at,'),
    '-- A server that does not say .*?END IF;', '');
END $$;
