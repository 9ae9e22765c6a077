import { expect, test } from 'vitest';
import { queryUnresolved } from '../../src/load/unresolved.ts';
import { moreGroups } from '../../src/report/moreGroups.ts';
import { temporaryWarehouse } from './temporaryWarehouse.ts';

test.each([
  [1, undefined],
  [11, '1 more group'],
  [200, '190 more groups'],
  [201, 'at least 190 more groups'],
])('of records in quarantine for %i reasons, %s is said beyond ten', async (reasons, said) => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(
    `INSERT INTO firn.quarantine BY NAME
     SELECT i AS id, 1 AS load_id, i AS "number", 's' AS stream, 'p' AS "partition", 'reason ' || i AS reason, '{}' AS record, '' AS record_hash,
       1 AS times_seen, now()::TIMESTAMP AS quarantined_at, now()::TIMESTAMP AS last_seen_at, 1 AS last_load_id
     FROM range(${reasons}) AS r(i)`,
  );
  const unresolved = await queryUnresolved(warehouse);
  expect(unresolved.records).toBe(reasons);
  expect(moreGroups(unresolved, 10)).toBe(said);
});
