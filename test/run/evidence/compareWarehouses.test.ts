import { expect, test } from 'vitest';
import { compareWarehouses } from '../../../src/run/evidence/compareWarehouses.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

/** A warehouse with these tables of numbers. */
async function holding(tables: Readonly<Record<string, readonly number[]>>): Promise<string> {
  const warehouse = await temporaryWarehouse([]);
  for (const [name, numbers] of Object.entries(tables))
    await warehouse.run(`CREATE OR REPLACE TABLE ${name} AS SELECT unnest([${numbers.join(', ')}]::INTEGER[]) AS n`);
  warehouse.close();
  return warehouse.folder;
}

/** Tables in which two warehouses differ. */
const differing = async (first: string, second: string) =>
  (await compareWarehouses(first, second)).filter(({ onlyFirst, onlySecond }) => onlyFirst + onlySecond > 0);

test('a table that one warehouse lacks counts as empty there', async () => {
  const first = await holding({ 'raw.both': [1, 2, 2], 'raw.empty': [], 'raw.mine': [1, 2], 'raw.none': [] });
  const second = await holding({ 'raw.both': [2, 3], 'raw.empty': [1], 'mart.yours': [7], 'staging.yours': [8] });
  expect(await differing(first, second)).toEqual([
    { table: 'mart."yours"', onlyFirst: 0, onlySecond: 1 },
    { table: 'raw."both"', onlyFirst: 2, onlySecond: 1 },
    { table: 'raw."empty"', onlyFirst: 0, onlySecond: 1 },
    { table: 'raw."mine"', onlyFirst: 2, onlySecond: 0 },
    { table: 'staging."yours"', onlyFirst: 0, onlySecond: 1 },
  ]);
});

test('two warehouses without a row do not differ, nor do times of answers', async () => {
  expect(await differing(await holding({}), await holding({}))).toEqual([]);
  const at = (time: number) => holding({ 'mart.served_freshness': [time] });
  expect(await differing(await at(1), await at(2))).toEqual([]);
});

test('when rows were read is no difference, and members that no schema knows are one', async () => {
  const reading = async (load: number, extra: string) => {
    const warehouse = await temporaryWarehouse([]);
    await warehouse.run(
      `CREATE TABLE raw.rows AS SELECT 7 AS n, ${load} AS _load_id, ${load} AS _valid_from, ${load} AS fetched_at, '${extra}' AS _extra`,
    );
    warehouse.close();
    return warehouse.folder;
  };
  const [first, again, other] = [await reading(1, '{}'), await reading(2, '{}'), await reading(1, '{"a":1}')];
  expect(await differing(first, again)).toEqual([]);
  expect(await differing(first, other)).toEqual([{ table: 'raw."rows"', onlyFirst: 1, onlySecond: 1 }]);
});
