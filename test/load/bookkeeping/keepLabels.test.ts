import { expect, test } from 'vitest';
import { keepLabels } from '../../../src/load/bookkeeping/keepLabels.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

test('an address has one row with each of its labels once, in the order of the files', async () => {
  const warehouse = await temporaryWarehouse([]);
  const label = (address: string, ...labels: string[]) => labels.map((one) => ({ address, label: one }));
  const kept = () => warehouse.query('SELECT address, label FROM firn.address_label ORDER BY address');
  await keepLabels(warehouse, [...label('0xa', 'payroll', 'cold'), ...label('0xb', 'ops'), ...label('0xa', 'payroll')]);
  expect(await kept()).toEqual([...label('0xa', 'payroll, cold'), ...label('0xb', 'ops')]);
  await keepLabels(warehouse, []);
  expect(await kept()).toEqual([]);
});
