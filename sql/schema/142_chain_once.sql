-- The C-Chain that was named by its blockchain id was there twice, and so was all that is joined by its chain id.
DELETE FROM firn.chain WHERE rowid NOT IN (SELECT first(rowid ORDER BY alias <> 'C', rowid) FROM firn.chain GROUP BY chain_id);
