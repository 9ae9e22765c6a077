-- As in a state: an age means another day each time, so of what began by one the moment is noted that it meant at the first load.
UPDATE firn.partition AS p SET begun = coalesce(
  (SELECT to_char(min(l.committed_at) - (substr(p.begun, 2, length(p.begun) - 2) || CASE right(p.begun, 1)
       WHEN 's' THEN ' seconds' WHEN 'm' THEN ' minutes' WHEN 'h' THEN ' hours' WHEN 'd' THEN ' days' ELSE ' weeks' END)::interval, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
   FROM firn.load AS l WHERE l.stream = p.stream AND l.partition = p.partition), begun)
WHERE begun LIKE '-%';
