-- An age means another day each time: of what began by one the moment is noted that it meant at the first load.
UPDATE firn.begun SET "from" = coalesce(
  (SELECT strftime(min(l.committed_at) - to_seconds(-CAST(rtrim(begun."from", 'smhdw') AS BIGINT)
     * CASE right(begun."from", 1) WHEN 's' THEN 1 WHEN 'm' THEN 60 WHEN 'h' THEN 3600 WHEN 'd' THEN 86400 ELSE 604800 END), '%Y-%m-%dT%H:%M:%SZ')
   FROM firn.load AS l WHERE l.stream = begun.stream AND l."partition" = begun."partition"), "from")
WHERE "from" LIKE '-%';
COMMENT ON COLUMN firn.begun."from" IS 'Bound: a height, a date, or the moment that an age meant when it was read.';
