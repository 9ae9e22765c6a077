/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { dirtyRanges } from '../../../src/transform/changes/dirtyRanges.ts';
import { loadMadeUp, type MadeUpBlock, madeUpChain } from '../madeUpChain.ts';
import { modelsUnder } from '../metricModels.ts';
import { temporaryWarehouse } from '../warehouse.ts';

const hour = 3600;

test.each([
  ['where little lies in between', 21_000, 1],
  ['where another range costs less than what lies in between', 600_000_000, 3],
])('blocks that change all over a history are so many ranges %s', async (_, gasUsed, ranges) => {
  const { warehouse, dispose } = await temporaryWarehouse();
  const blocks = madeUpChain(1, 60).map(
    (block, i): MadeUpBlock => ({
      ...block,
      time: Date.UTC(2026, 0, 5) / 1000 + i * 3 * hour,
      transactions: [{ from: 1, to: 2, gasUsed: i % 20 === 10 ? gasUsed : 21_000, price: 1n }],
    }),
  );
  await loadMadeUp(warehouse, '1', blocks);
  await buildModels(warehouse);
  const [before] = await warehouse.query<{ load_id: bigint }>('SELECT max(load_id) AS load_id FROM firn.load');
  const changed = blocks.filter((_, i) => i % 20 === 5);
  for (const block of changed) await loadMadeUp(warehouse, '1', [block], 'altered');
  const found = await dirtyRanges(warehouse, before?.load_id ?? -1n);
  await dispose();
  expect(found).toHaveLength(ranges);
  for (const { number } of changed)
    expect(found.some(({ first, last }) => first <= BigInt(number) && BigInt(number) <= last)).toBe(true);
});

test('where old blocks of the data service stay, since raw rows were dropped, new ones of a node are all that is built', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const start = Date.UTC(2026, 0, 5) / 1000;
  const blocks = madeUpChain(1, 20).map((block, i): MadeUpBlock => ({ ...block, time: start + i * 3 * hour }));
  await loadMadeUp(warehouse, '1', blocks.slice(0, -1));
  await buildModels(warehouse);
  const until = `TIMESTAMP '2026-01-06'`;
  await warehouse.run(
    `INSERT INTO firn.frozen VALUES ('1', ${until}); UPDATE mart.fct_block SET source = 'data' WHERE block_time < ${until}`,
  );
  const [before] = await warehouse.query<{ load_id: bigint }>('SELECT max(load_id) AS load_id FROM firn.load');
  await loadMadeUp(warehouse, '1', blocks.slice(-1));
  expect(await dirtyRanges(warehouse, before?.load_id ?? -1n)).toMatchObject([{ first: 20n, last: 20n }]);
});

/** Builds, and gives the heights of the blocks and of their transactions: one each. */
async function builtNumbers(warehouse: Warehouse): Promise<number[]> {
  const models = await modelsUnder(['mart.fct_transaction', 'mart.fct_block', 'firn.coverage', 'staging.evm_change']);
  await buildModels(warehouse, { models });
  const tables = ['mart.fct_block', 'mart.fct_transaction'].map((table) => `SELECT "number" FROM ${table}`);
  const rows = await warehouse.query<{ number: bigint }>(`${tables.join(' UNION ALL ')} ORDER BY "number"`);
  return rows.map(({ number }) => Number(number));
}
const twice = (upTo: number) => Array.from({ length: upTo }, (_, i) => [i + 1, i + 1]).flat();

test('a block that comes again at another time is no more in the hour in which it was', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const blocks = madeUpChain(1, 3).map((block, i) => ({ ...block, time: Date.UTC(2026, 0, 5) / 1000 + i * 10 * hour }));
  await loadMadeUp(warehouse, '1', blocks);
  const before = await builtNumbers(warehouse);
  const later = blocks.slice(1, 2).map((block) => ({ ...block, time: block.time + 5 * hour }));
  await loadMadeUp(warehouse, '1', later, 'altered');
  expect(await builtNumbers(warehouse)).toEqual(before);
});

test.each([
  ['at their ends', [0, 30, 2, 31, 1, 32, 60]],
  ['in between', [0, 31, 2, 30, 1, 3, 29]],
])('blocks whose times run back are built once each, where the newest ones lie %s', async (_, times) => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const start = Date.UTC(2026, 0, 5) / 1000;
  const blocks = times.map(
    (hours, i): MadeUpBlock => ({
      number: i + 1,
      time: start + hours * hour,
      transactions: [{ from: 1, to: 2, gasUsed: 21_000, price: 1n }],
    }),
  );
  const numbers = () => builtNumbers(warehouse);
  await loadMadeUp(warehouse, '1', blocks.slice(0, 4));
  expect(await numbers()).toEqual(twice(4));
  await loadMadeUp(warehouse, '1', blocks.slice(4));
  expect(await numbers()).toEqual(twice(7));
});
