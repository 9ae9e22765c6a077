import { expect, test } from 'vitest';
import { acceptQuarantine, reopenQuarantine } from '../../../src/run/upkeep/acceptQuarantine.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

/** Two records that wait, and one that was read since. */
async function quarantine() {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(
    `INSERT INTO firn.quarantine BY NAME
     SELECT i AS id, 1 AS load_id, i AS "number", stream, 'p' AS "partition", 'reason ' || i AS reason, '{}' AS record, '' AS record_hash,
       1 AS times_seen, now()::TIMESTAMP AS quarantined_at, now()::TIMESTAMP AS last_seen_at, 1 AS last_load_id, replayed_at
     FROM (VALUES (1, 'a/x', NULL), (2, 'a/y', NULL), (3, 'b/z', now()::TIMESTAMP)) AS r(i, stream, replayed_at)`,
  );
  return warehouse;
}

test('what is accepted keeps its first reason, and is open again once that is taken back', async () => {
  const warehouse = await quarantine();
  const reasons = async () =>
    (await warehouse.query('SELECT accepted_because AS because FROM firn.quarantine ORDER BY id')).map(
      ({ because }) => because,
    );
  expect(await acceptQuarantine(warehouse, { ids: [1n] }, 'first')).toBe(1);
  expect(await acceptQuarantine(warehouse, { streams: ['a/*'] }, 'second')).toBe(1);
  expect(await reasons()).toEqual(['first', 'second', null]);
  expect(await reopenQuarantine(warehouse, { matching: 'son 2' })).toBe(1);
  expect(await acceptQuarantine(warehouse, { all: true }, 'third')).toBe(1);
  expect(await reasons()).toEqual(['first', 'third', null]);
  await warehouse.run('DELETE FROM firn.quarantine');
  expect(await acceptQuarantine(warehouse, { all: true }, 'fourth')).toBe(0);
});

test.each([
  ['nothing', {}, 'usage'],
  ['all and some', { ids: [1n], all: true }, 'usage'],
  ['an id that is not there', { ids: [1n, 9n] }, 'not_found'],
  ['one that was read since', { ids: [3n] }, 'not_found'],
  ['a stream that has none', { streams: ['c/*'] }, 'not_found'],
  ['a reason that none has', { matching: 'reason 4' }, 'not_found'],
])('to accept %s is refused, and changes nothing', async (_, choice, code) => {
  const warehouse = await quarantine();
  await expect((async () => acceptQuarantine(warehouse, choice, 'because'))()).rejects.toMatchObject({ code });
  expect(await warehouse.query('SELECT 1 FROM firn.quarantine WHERE accepted_at IS NOT NULL')).toEqual([]);
});
