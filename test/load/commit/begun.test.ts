import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Position } from '../../../src/core/stream/partition.ts';
import { begunBy, begunFrom, lowerBegun, noteBegun, readBegun } from '../../../src/load/commit/begun.ts';
import { sqlFolder } from '../../../src/load/packageFiles.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

test.each<[string, asked: string, begun: string | undefined, wanted: string | undefined, string | undefined]>([
  ['one that reads further down', '2026-01-08', '2026-01-10', '2026-01-10', '2026-01-08'],
  ['one that does not', '2026-01-12', '2026-01-10', '2026-01-10', undefined],
  ['an age, as the moment that it means', '-30d', '2026-11-10', '2026-11-10', '2026-10-29T14:00:00Z'],
  ['one of which nothing is noted', '2026-01-08', undefined, '2026-01-10', '2026-01-08'],
  ['of what begins nowhere', '2026-01-08', undefined, undefined, undefined],
  ['a height of what is to begin at a date', '300', '2026-01-10', '2026-01-10', undefined],
  ['a height of what is to begin at a height by now', '300', '2026-01-10', '300', '300'],
  ['a date of what is to begin at a height', '2026-01-10', '300', '300', undefined],
  ['a date of what is to begin at a date by now', '2026-01-10', '300', '2026-01-10', '2026-01-10'],
  ['a date of what is to begin at an age by now', '2026-01-10', '300', '-30d', '2026-01-10'],
  ['a height of what is to begin at a date, where nothing is noted', '300', undefined, '2026-01-10', undefined],
  ['the beginning', '0', '2026-01-10', '2026-01-10', '0'],
])('what is noted of a backfill: %s', (_, asked, begun, wanted, noted) => {
  expect(lowerBegun(asked, begun, wanted, Date.parse('2026-11-28T14:00:00.123Z'))).toBe(noted);
});

test.each<[object, string | undefined]>([
  [{ cursor: 9, since: { time: 1_771_545_600 } }, '2026-02-20T00:00:00Z'],
  [{ cursor: 9, since: { height: 300 } }, '300'],
  [{ next: 9, since: 1_771_545_600 }, '2026-02-20T00:00:00Z'],
  [{ reading: { token: 't', newest: 9, until: { time: 1_771_545_600 } } }, '2026-02-20T00:00:00Z'],
  [{ cursor: 9, reading: { token: 't', newest: 10, until: { cursor: 9 } } }, undefined],
  [{ cursor: 9, since: { height: 300 }, reading: { token: 't', newest: 10, until: { cursor: 9 } } }, '300'],
  [{ next: 9 }, undefined],
])('where a list was begun is told by its position: %j', (position, begun) => {
  expect(begunBy(position as Position)).toBe(begun);
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
