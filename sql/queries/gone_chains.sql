-- L1s of which nothing is left that a source could contradict: no block, no checkpoint. Another chain may take their EVM chain id then, as where an L1 of
-- a test network is made anew. Served values stay with all their revisions, and are of whatever the service takes for that chain.
SELECT c.chain_id
FROM firn.chain AS c
WHERE c.vm = 'evm'
  AND c.alias = c.blockchain_id
  AND NOT EXISTS (SELECT 1 FROM staging.evm_block AS b WHERE b.chain_id = c.chain_id)
  AND NOT EXISTS (
    SELECT 1
    FROM firn.checkpoint AS p
    WHERE list_contains(string_split(replace(p."partition", '|', ','), ','), 'chain_id=' || c.chain_id)
      AND NOT EXISTS (
        SELECT 1 FROM duckdb_tables() AS r
        WHERE r.schema_name = 'raw' AND r.table_name = replace(p.stream, '/', '_') || '_revisions'
      )
  )
