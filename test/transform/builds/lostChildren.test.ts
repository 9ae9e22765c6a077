/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { loadMadeUp, type MadeUpBlock } from '../madeUpChain.ts';
import { metricModels } from '../metricModels.ts';
import { type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

const at = Date.UTC(2026, 0, 28, 20) / 1000;
const gas = { gasUsed: 21_000, price: 1n };
/** Two blocks, the second with a contract that is created inside, and a transfer. */
const blocks = (second: Partial<MadeUpBlock['transactions'][number]>): MadeUpBlock[] => [
  { number: 0, time: at - 10, transactions: [] },
  { number: 1, time: at, transactions: [{ from: 1, to: 2, ...gas, transfers: [[3, 4]] }] },
  { number: 2, time: at + 86_400, transactions: [{ from: 1, to: 2, ...gas, ...second }] },
];

let own: TestWarehouse;
beforeAll(async () => {
  own = await temporaryWarehouse();
}, 60_000);
afterAll(() => own.dispose());

test('a block that is read again with fewer logs or call frames, and nothing else new, is built again', async () => {
  const { warehouse } = own;
  const models = await metricModels();
  const counts = async (again: MadeUpBlock[]) => {
    await loadMadeUp(warehouse, '1001', again);
    await buildModels(warehouse, { models });
    return warehouse.query(
      `SELECT CAST(max(CASE metric WHEN 'activeAddresses' THEN numerator END) AS INTEGER) AS addresses,
         CAST(max(CASE metric WHEN 'contracts' THEN numerator END) AS INTEGER) AS contracts
       FROM mart.metric WHERE time_interval = 'day' AND bucket = '2026-01-29'`,
    );
  };
  const creations = [{ creator: 5, fails: false }];
  expect(await counts(blocks({ transfers: [[6, 7]], creations }))).toEqual([{ addresses: 4, contracts: 1 }]);
  expect(await counts(blocks({ creations }))).toEqual([{ addresses: 2, contracts: 1 }]);
  expect(await counts(blocks({}))).toEqual([{ addresses: 2, contracts: 0 }]);
  // What did not lose anything keeps its load.
  expect(
    await warehouse.query('SELECT CAST(_load_id AS INTEGER) AS load FROM raw.node_evm_blocks ORDER BY "number"'),
  ).toEqual([{ load: 1 }, { load: 1 }, { load: 3 }]);
});
