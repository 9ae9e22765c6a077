/**
 * The tables that batches have files of, as `tables (name)` of a `WITH RECURSIVE`; the last one is NULL. Each is found in the index from the one before:
 * of years there are millions of files.
 */
export const tablesOfBatches = `tables AS (
  SELECT min(table_name) AS name FROM firn.batch_file
  UNION ALL SELECT (SELECT min(table_name) FROM firn.batch_file WHERE table_name > name) FROM tables WHERE name IS NOT NULL
)`;
