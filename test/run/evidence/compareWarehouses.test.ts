import { expect, test } from 'vitest';
import { compareWarehouses } from '../../../src/run/evidence/compareWarehouses.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

/** A warehouse with these tables of numbers. */
async function holding(tables: Readonly<Record<string, readonly number[]>>): Promise<string> {
  const warehouse = await temporaryWarehouse([]);
  for (const [name, numbers] of Object.entries(tables))
    await warehouse.run(`CREATE TABLE ${name} AS SELECT unnest([${numbers.join(', ')}]::INTEGER[]) AS n`);
  warehouse.close();
  return warehouse.folder;
}

test('a table that one warehouse lacks counts as empty there', async () => {
  const first = await holding({ 'raw.both': [1, 2, 2], 'raw.mine': [1, 2], 'raw.none': [] });
  const second = await holding({ 'raw.both': [2, 3], 'mart.yours': [7] });
  const found = await compareWarehouses(first, second);
  expect(found.filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0)).toEqual([
    { table: 'mart."yours"', onlyFirst: 0, onlySecond: 1 },
    { table: 'raw."both"', onlyFirst: 2, onlySecond: 1 },
    { table: 'raw."mine"', onlyFirst: 2, onlySecond: 0 },
  ]);
});
