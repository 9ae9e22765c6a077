import { expect, test, vi } from 'vitest';
import { endBeside, newestChange, noteCheckpoint, noteReadOn } from '../../../src/load/commit/checkpoints.ts';
import { rowsThrough } from '../../rowsThrough.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

/** Loads of partitions by number, each with the rows that it brought. */
const loads = (...of: readonly (readonly [partition: string, rows: number])[]) =>
  of.map(
    ([partition, rows], i) => `INSERT INTO firn.load BY NAME SELECT ${i + 1} AS load_id, 'r' AS run_id, 's' AS stream,
      '${partition}' AS "partition", 1 AS pages, 1 AS rows_in, ${rows} AS rows_written, 0 AS rows_quarantined, 1 AS bytes, now()::TIMESTAMP AS committed_at`,
  );
const aside = (
  load: number,
) => `INSERT INTO firn.quarantine BY NAME SELECT 1 AS id, ${load} AS load_id, 0 AS "number", 's' AS stream, 'a' AS "partition", '' AS reason,
  '' AS record, '' AS record_hash, 1 AS times_seen, now()::TIMESTAMP AS quarantined_at, now()::TIMESTAMP AS last_seen_at, ${load} AS last_load_id`;

test.each([
  ['none', 0n, []],
  ['one that brought rows', 2n, loads(['a', 1], ['a', 2], ['a', 0])],
  ['one that put a record aside', 3n, [...loads(['a', 1], ['a', 2], ['a', 0]), aside(3)]],
  ['the first of a partition, which brought nothing', 3n, loads(['a', 1], ['a', 1], ['b', 0], ['b', 0], ['a', 0])],
  ['one behind that first', 4n, loads(['a', 1], ['a', 1], ['b', 0], ['a', 7], ['b', 0])],
])('the newest load that changed something: %s', async (_, newest, statements) => {
  const warehouse = await temporaryWarehouse([]);
  for (const sql of statements) await warehouse.run(sql);
  expect(await newestChange(warehouse)).toBe(newest);
});

test('a partition that was read to its end is noted as read now, and no other', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`INSERT INTO firn.checkpoint BY NAME SELECT s AS stream, p AS "partition", '{}' AS "position", 1 AS load_id, TIMESTAMP '2026-01-01' AS updated_at
    FROM (VALUES ('s', 'a'), ('s', 'b'), ('t', 'a')) AS c (s, p)`);
  await noteReadOn(warehouse, []);
  await noteReadOn(warehouse, [{ stream: 's', partition: 'b' }]);
  const [read, ...others] = await warehouse.query(
    `SELECT stream, "partition", updated_at > now()::TIMESTAMP - INTERVAL 1 HOUR AS "now" FROM firn.checkpoint ORDER BY "now" DESC`,
  );
  expect(read).toEqual({ stream: 's', partition: 'b', now: true });
  expect(others.map(({ now }) => now)).toEqual([false, false]);
});

test('loads are grouped by partition only where one was read since', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`INSERT INTO firn.load BY NAME SELECT i AS load_id, 'r' AS run_id, 's' AS stream, 'p' || i % 1000 AS "partition", 1 AS pages,
    1 AS rows_in, 1 AS rows_written, 0 AS rows_quarantined, 1 AS bytes, now()::TIMESTAMP AS committed_at FROM range(1, 5000) AS r (i)`);
  const through = await rowsThrough(warehouse, newestChange);
  expect(through.filter(({ name }) => name.includes('GROUP_BY')).map(({ rows }) => rows)).toEqual([0]);
});

test.each([
  ['where a partition stands', { next: 5 }],
  ['nothing, of a partition without a checkpoint', null],
])('where a read beside a partition ended takes the place of %s, and of no other', async (_, before) => {
  const warehouse = await temporaryWarehouse([]);
  if (before) await warehouse.run(noteCheckpoint('s', 'p', before));
  for (const key of ['beside p', 'q']) await warehouse.run(noteCheckpoint('s', key, { next: 7 }));
  const own = vi.fn(() => ({ next: 9 }));
  await endBeside(warehouse, 's', { key: 'p', beside: 'beside p', own });
  expect(own).toHaveBeenCalledWith(before);
  expect(await warehouse.query('SELECT "partition", "position" FROM firn.checkpoint ORDER BY ALL')).toEqual([
    { partition: 'p', position: '{"next":9}' },
    { partition: 'q', position: '{"next":7}' },
  ]);
});
