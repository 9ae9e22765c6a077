import { expect, test } from 'vitest';
import { addQuota, quotaKeeper, readQuota } from '../../../src/load/bookkeeping/quotaState.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

const [monday, tuesday] = ['2026-01-19', '2026-01-20'];

// What a run read as it began, what stands in the state as it ends, what it says was used, and what stands there then.
test.each<[string, [string, number] | undefined, [string, number][], [string, number], [string, number][]]>([
  ['the first of a source is all its own', undefined, [], [monday, 20], [[monday, 20]]],
  ['of one day only what came since is added', [monday, 900], [[monday, 900]], [monday, 920], [[monday, 920]]],
  ['so it is to what another run added', [monday, 900], [[monday, 950]], [monday, 920], [[monday, 970]]],
  ['where nothing was spent, nothing changes', [monday, 900], [[monday, 950]], [monday, 900], [[monday, 950]]],
  [
    'over midnight all of the new day is added, and the day before stays',
    [monday, 900],
    [[monday, 900]],
    [tuesday, 20],
    [
      [monday, 900],
      [tuesday, 20],
    ],
  ],
  [
    'so it is to what another run spent of the new day',
    [monday, 10],
    [
      [monday, 10],
      [tuesday, 5],
    ],
    [tuesday, 20],
    [
      [monday, 10],
      [tuesday, 25],
    ],
  ],
])('%s', async (_, began, stands, said, then) => {
  const warehouse = await temporaryWarehouse([]);
  const usage = ([day, used]: [string, number]) => ({ day, used });
  const keep = 'INSERT INTO firn.quota VALUES ($1, $2::DATE, $3)';
  for (const [day, units] of stands) await warehouse.run(keep, ['data', day, BigInt(units)]);
  await warehouse.run(keep, ['other', tuesday, 7n]);
  await addQuota(warehouse, 'data', usage(said), began && usage(began));
  const rows = await warehouse.query(
    `SELECT "day"::VARCHAR AS "day", units::INTEGER AS used FROM firn.quota WHERE source = 'data' ORDER BY 1`,
  );
  expect(rows).toEqual(then.map(usage));
  for (const row of rows) expect(await readQuota(warehouse, 'data', String(row['day']))).toEqual(row);
  expect(await readQuota(warehouse, 'other', monday)).toEqual({ day: monday, used: 0 });
});

test('what a source spends is added once, however often it is asked for, and later where it could not be before', async () => {
  const warehouse = await temporaryWarehouse([]);
  let used = 20;
  const keep = quotaKeeper('data', () => ({ day: monday, used }), undefined);
  await Promise.all([keep(warehouse), keep(warehouse)]);
  used = 50;
  const refusing = {
    ...warehouse,
    transaction: () => Promise.reject(new Error('full')),
  } as unknown as typeof warehouse;
  await expect(keep(refusing)).rejects.toThrow('full');
  await keep(warehouse);
  expect(await readQuota(warehouse, 'data', monday)).toEqual({ day: monday, used: 50 });
});
