/*
description: >-
  How much of each bucket `firn verify --evidence` has proven: from the signature of the container, where there is one, down to the
  transactions, gas and logs that the metrics count. Call traces are covered by no hash and are proven by nothing.
kept: view
columns:
  chain_id: EVM chain id.
  time_interval: hour, day, week (from Monday) or month.
  bucket: Start of the bucket [UTC].
  blocks: Blocks held.
  examined_blocks: Blocks that were looked at.
  proven_blocks: Blocks of which header, transactions, receipts, gas and logs are all proven.
  signed_blocks: Blocks whose container carries the proposer's signature, proven too.
  broken_blocks: Blocks that break.
  first_broken_block: Lowest of them; `firn.evidence` says what breaks.
*/
SELECT
  c.chain_id,
  c.time_interval,
  c.bucket,
  c.blocks,
  count(e."number") AS examined_blocks,
  count(
    CASE
      WHEN e.broken IS NULL AND e.header = 'proven' AND e.transactions = 'proven' AND e.receipts = 'proven' AND e.gas = 'proven' AND e.bloom = 'proven'
        THEN 1
    END
  ) AS proven_blocks,
  count(CASE WHEN e.broken IS NULL AND e.signature = 'proven' THEN 1 END) AS signed_blocks,
  count(e.broken) AS broken_blocks,
  min(CASE WHEN e.broken IS NOT NULL THEN e."number" END) AS first_broken_block
FROM firn.coverage AS c
LEFT JOIN firn.evidence AS e ON e.chain_id = c.chain_id AND e."number" BETWEEN c.first_block AND c.last_block
GROUP BY c.chain_id, c.time_interval, c.bucket, c.blocks
