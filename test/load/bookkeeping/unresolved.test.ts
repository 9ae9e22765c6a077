import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noteUnresolved, queryUnresolved, readUnresolved } from '../../../src/load/bookkeeping/unresolved.ts';
import { moreGroups } from '../../../src/report/texts/moreGroups.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

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

test('records that differ in the value alone that was read are one group', async () => {
  const warehouse = await temporaryWarehouse([]);
  const reasons = [
    't: expected Unix seconds, got 1772000000000',
    't: expected Unix seconds, got "x"; u: expected text, got 7',
    't: expected Unix seconds, got "x"; u: expected text, got 8',
    't: expected text, got 7',
  ];
  await warehouse.run(
    `INSERT INTO firn.quarantine BY NAME
     SELECT i AS id, 1 AS load_id, i AS "number", 's' AS stream, 'p' AS "partition", reason, '{}' AS record, '' AS record_hash,
       1 AS times_seen, now()::TIMESTAMP AS quarantined_at, now()::TIMESTAMP AS last_seen_at, 1 AS last_load_id
     FROM (VALUES (1, '${reasons[0]}'), (2, 't: expected Unix seconds, got 1772003600000'), (3, '${reasons[1]}'), (4, '${reasons[2]}'), (5, '${reasons[3]}')) AS r(i, reason)`,
  );
  const { groups } = await queryUnresolved(warehouse);
  expect(groups.map(({ reason, records }) => ({ reason, records }))).toEqual([
    { reason: 't: expected Unix seconds, got …', records: 2 },
    { reason: 't: expected Unix seconds, got …; u: expected text, got …', records: 2 },
    { reason: reasons[3], records: 1 },
  ]);
});

test('a reason of an earlier version that is as long as its record is told by its beginning', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(
    `INSERT INTO firn.quarantine BY NAME
     SELECT i AS id, 1 AS load_id, i AS "number", 's' AS stream, 'p' AS "partition", repeat('x', 3000) || i AS reason, '{}' AS record, '' AS record_hash,
       1 AS times_seen, now()::TIMESTAMP AS quarantined_at, now()::TIMESTAMP AS last_seen_at, 1 AS last_load_id
     FROM range(2) AS r(i)`,
  );
  const { groups } = await queryUnresolved(warehouse);
  expect(groups).toMatchObject([{ reason: 'x'.repeat(2000), records: 2 }]);
});

test('what somebody accepted is counted and told no further, what was read since is neither, and of what is open the largest group comes first', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(
    `INSERT INTO firn.quarantine BY NAME
     SELECT i AS id, 1 AS load_id, i AS "number", stream, 'p' AS "partition", reason, '{}' AS record, '' AS record_hash, i AS times_seen,
       make_timestamp(i * 1000) AS quarantined_at, make_timestamp(i * 2000) AS last_seen_at, 1 AS last_load_id, accepted_at, replayed_at
     FROM (VALUES (1, 's', 'accepted', now()::TIMESTAMP, NULL), (2, 't', 'a', NULL, NULL), (3, 't', 'b', NULL, NULL), (4, 't', 'b', NULL, NULL),
       (5, 't', 'read', NULL, now()::TIMESTAMP)) AS r(i, stream, reason, accepted_at, replayed_at)`,
  );
  const one = { stream: 't', partition: 'p', example: '{}' };
  expect(await queryUnresolved(warehouse)).toEqual({
    records: 3,
    accepted: 1,
    streams: [{ stream: 't', records: 3 }],
    groups: [
      { ...one, reason: 'b', records: 2, times: 7, firstAt: 3, lastAt: 8 },
      { ...one, reason: 'a', records: 1, times: 2, firstAt: 2, lastAt: 4 },
    ],
    heldBack: [],
  });
});

test('a note that cannot be written fails nothing', async () => {
  const warehouse = await temporaryWarehouse([]);
  await noteUnresolved(warehouse);
  expect(await readUnresolved(warehouse.folder)).toMatchObject({ records: 0 });
  await mkdir(join(warehouse.folder, '.state', 'unresolved.json.new', 'full'), { recursive: true });
  expect(await noteUnresolved(warehouse)).toMatchObject({ records: 0 });
});
