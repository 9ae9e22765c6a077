/** @module-tag long */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import type { Model } from '../../../src/transform/models/model.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { type Form, loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { forget, forgetBuild, type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

const length = 40;
const chains = ['1001', '1002'];
const runs = Number(process.env['FIRN_PROPERTY_RUNS'] ?? 4);

let built: TestWarehouse;
let models: readonly Model[];
let tables: string[];

beforeAll(async () => {
  built = await temporaryWarehouse();
  models = await readModels();
  tables = models.filter(({ keptAs }) => keptAs.kind !== 'view').map(({ name }) => name);
});

afterAll(() => built.dispose());

/** One load: consecutive blocks of a chain, or some in the middle, or some again and different. */
const step = fc.record({
  chain: fc.constantFrom(...chains),
  from: fc.integer({ min: 0, max: length }),
  count: fc.integer({ min: 1, max: 15 }),
  form: fc.constantFrom<Form>('whole', 'whole', 'whole', 'without_traces', 'without_receipts', 'altered'),
  build: fc.boolean(),
});

/** Rows that stand in one of two tables only. */
async function difference(warehouse: Warehouse, table: string): Promise<Record<string, unknown>[]> {
  const copy = `incremental_${table.replace('.', '_')}`;
  return warehouse.query(
    `SELECT 'incremental' AS side, * FROM (FROM ${copy} EXCEPT ALL FROM ${table})
     UNION ALL SELECT 'full', * FROM (FROM ${table} EXCEPT ALL FROM ${copy}) LIMIT 5`,
  );
}

test('builds the same in random steps, with late, repeated and changed blocks, as at once', async () => {
  const { warehouse } = built;
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(step, { minLength: 3, maxLength: 9 }), async (seed, steps) => {
      await forget(warehouse);
      const histories = new Map(chains.map((chain, i) => [chain, madeUpChain(seed + i, length)]));
      for (const { chain, from, count, form, build } of steps) {
        await loadMadeUp(warehouse, chain, (histories.get(chain) ?? []).slice(from, from + count), form);
        if (build) await buildModels(warehouse, { models });
      }
      await buildModels(warehouse, { models });
      for (const table of tables)
        await warehouse.run(`CREATE OR REPLACE TEMP TABLE incremental_${table.replace('.', '_')} AS FROM ${table}`);
      await forgetBuild(warehouse);
      await buildModels(warehouse, { models });
      for (const table of tables) expect(await difference(warehouse, table), table).toEqual([]);
    }),
    { numRuns: runs, interruptAfterTimeLimit: 240_000 },
  );
});

test('fills a hole in the middle of a history and covers what lies around and after it', async () => {
  const { warehouse } = built;
  await forget(warehouse);
  const blocks = madeUpChain(7, length);
  const hole = new Set([14, 15, 16]);
  await loadMadeUp(
    warehouse,
    '1001',
    blocks.filter(({ number }) => !hole.has(number)),
  );
  await buildModels(warehouse, { models });
  const uncovered = () =>
    warehouse.query<{ metric: string; days: bigint }>(
      `SELECT metric, count(*) AS days FROM mart.metric WHERE time_interval = 'day' AND NOT covered AND metric IN ('txCount', 'cumulativeTxCount') GROUP BY metric ORDER BY metric`,
    );
  const before = await uncovered();
  // The cumulative level is unknown from the hole on, the daily count only around it.
  expect(before.map(({ metric }) => metric)).toEqual(['cumulativeTxCount', 'txCount']);
  expect(Number(before[0]?.days)).toBeGreaterThan(Number(before[1]?.days));
  await loadMadeUp(
    warehouse,
    '1001',
    blocks.filter(({ number }) => hole.has(number)),
  );
  await buildModels(warehouse, { models });
  expect(await uncovered()).toEqual([]);
});
