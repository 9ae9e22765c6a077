import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { begunFrom, lowerBegun, noteBegun, readBegun } from '../../../src/load/commit/begun.ts';
import { sqlFolder } from '../../../src/load/packageFiles.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

test('a backfill lowers from where on its partition is read, raises it never, and notes nothing of one that nothing is noted of', async () => {
  const warehouse = await temporaryWarehouse([]);
  for (const name of ['a', 'b']) for (const sql of noteBegun('s', name, '2026-01-10')) await warehouse.run(sql);
  const lowered = async (partition: string, from: string) => {
    await warehouse.transaction((tx) => lowerBegun(tx, 's', partition, from));
    return Object.fromEntries(await readBegun(warehouse.query));
  };
  expect(await lowered('a', '2026-01-12')).toEqual({ 's a': '2026-01-10', 's b': '2026-01-10' });
  expect(await lowered('a', '2026-01-08')).toEqual({ 's a': '2026-01-08', 's b': '2026-01-10' });
  expect(await lowered('c', '2026-01-08')).toEqual({ 's a': '2026-01-08', 's b': '2026-01-10' });
  // An age would mean another day each time.
  const { 's b': moment } = await lowered('b', '-36500d');
  expect(moment).toBe('1970-01-01T00:00:00Z');
});

test.each<[string, string, string | null, string]>([
  ['a height', '20', null, '20'],
  ['a date, also where another one is noted', '2026-02-20', '2026-01-01', '2026-02-20'],
  ['an age', '-10d', null, '2026-11-18T14:00:00Z'],
  ['an age that was noted when less of it was over', '-10d', '2026-11-17T14:00:00Z', '2026-11-17T14:00:00Z'],
  ['an age that is longer by now', '-30d', '2026-11-17T14:00:00Z', '2026-10-29T14:00:00Z'],
])('from where on a read begins is noted: %s', (_, begin, begun, noted) => {
  expect(begunFrom(begin, begun, Date.parse('2026-11-28T14:00:00.123Z'))).toBe(noted);
});

test('what an earlier version noted as an age becomes the moment that it meant at the first load', async () => {
  const warehouse = await temporaryWarehouse([]);
  for (const [load, day] of ['04', '20'].entries())
    await warehouse.run(
      `INSERT INTO firn.load VALUES (${load}, 'r', 's', 'a', NULL, 1, 1, 1, 0, 1, NULL, '{}', TIMESTAMP '2026-03-${day} 12:00:00', 1, 0)`,
    );
  for (const [name, from] of [
    ['a', '-36h'],
    ['b', '-2d'],
    ['c', '7'],
  ] as const)
    for (const sql of noteBegun('s', name, from)) await warehouse.run(sql);
  await warehouse.run(await readFile(join(sqlFolder('schema'), '171_begun_moment.sql'), 'utf8'));
  expect(Object.fromEntries(await readBegun(warehouse.query))).toEqual({
    's a': '2026-03-03T00:00:00Z',
    's b': '-2d',
    's c': '7',
  });
});
