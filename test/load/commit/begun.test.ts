import { expect, test } from 'vitest';
import { lowerBegun, noteBegun, readBegun } from '../../../src/load/commit/begun.ts';
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
});
