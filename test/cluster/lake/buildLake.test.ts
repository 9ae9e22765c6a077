import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { stretchesOf } from '../../../src/cluster/lake/lakeChanges.ts';
import type { LastBuild } from '../../../src/cluster/lake/lakeCut.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { type Form, loadMadeUp, madeUpChain } from '../../transform/madeUpChain.ts';
import { loadWorld } from '../../transform/oracle/load.ts';
import { containersOf } from '../../transform/oracle/loads.ts';
import { plainWorld } from '../../transform/oracle/world.ts';
import { forget, type TestWarehouse, temporaryWarehouse } from '../../transform/warehouse.ts';
import { createDuckDbEngine } from '../engine/duckDbEngine.ts';
import { contents, lakeBuilder, over } from './lakeBuilder.ts';

const length = 16;
const chains = ['1001', '1002'];

/** One machine, and a lake that DuckDB stands in for: the same statements, with DuckDB's own macros as text. */
let alone: TestWarehouse;
let lake: TestWarehouse;
let engine: Engine;
let buildOnce: Awaited<ReturnType<typeof lakeBuilder>>;

beforeAll(async () => {
  [alone, lake] = [await temporaryWarehouse(), await temporaryWarehouse()];
  engine = createDuckDbEngine(over(lake.warehouse), 'file:///nowhere/');
  buildOnce = await lakeBuilder(engine, lake.warehouse);
});
afterAll(() => Promise.all([alone.dispose(), lake.dispose()]));

async function build(last: LastBuild | undefined, built: Set<number>): Promise<LastBuild> {
  const rows = await lake.warehouse.query<{ id: bigint }>('SELECT load_id AS id FROM firn.load');
  const loads = rows.map(({ id }) => Number(id)).filter((id) => !built.has(id));
  const done = await buildOnce(last && { loads, last });
  for (const load of loads) built.add(load);
  return done;
}

const step = fc.record({
  chain: fc.constantFrom(...chains),
  from: fc.integer({ min: 0, max: length }),
  count: fc.integer({ min: 1, max: 15 }),
  form: fc.constantFrom<Form>('whole', 'whole', 'without_traces', 'altered'),
});

test('what changed is built by one statement a table and range, and equals what one machine builds', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.array(step, { minLength: 2, maxLength: 3 }), async (seed, steps) => {
      for (const { warehouse } of [alone, lake]) await forget(warehouse);
      const histories = new Map(chains.map((chain, i) => [chain, madeUpChain(seed + i, length)]));
      const built = new Set<number>();
      let last: LastBuild | undefined;
      for (const { chain, from, count, form } of steps) {
        const blocks = (histories.get(chain) ?? []).slice(from, from + count);
        for (const { warehouse } of [alone, lake]) await loadMadeUp(warehouse, chain, blocks, form);
        last = await build(last, built);
      }
      await buildModels(alone.warehouse);
      expect(await contents(lake.warehouse)).toEqual(await contents(alone.warehouse));
    }),
    { numRuns: 1 },
  );
});

test('a build that fails half way is taken up where the last whole one stood', { tags: 'long' }, async () => {
  for (const { warehouse } of [alone, lake]) await forget(warehouse);
  const blocks = madeUpChain(7, length);
  const load = async (from: number, to: number, form?: Form) => {
    for (const { warehouse } of [alone, lake]) await loadMadeUp(warehouse, '1001', blocks.slice(from, to), form);
  };
  const built = new Set<number>();
  await load(0, 6);
  await load(9, 16);
  const last = await build(undefined, built);
  await load(6, 9);
  let left = 6;
  const breaking: Engine = {
    ...engine,
    run: (sql) => (left-- > 0 ? engine.run(sql) : Promise.reject(new Error('the engine is gone'))),
  };
  const loads = [Math.max(...built) + 1];
  await expect(buildOnce({ loads, last }, breaking)).rejects.toThrow('the engine is gone');
  await build(last, built);
  await buildModels(alone.warehouse);
  expect(await contents(lake.warehouse)).toEqual(await contents(alone.warehouse));
});

test('a table beneath which nothing changed is not built again', { tags: 'long' }, async () => {
  for (const { warehouse } of [alone, lake]) await forget(warehouse);
  const blocks = madeUpChain(11, length);
  for (const { warehouse } of [alone, lake]) await loadMadeUp(warehouse, '1001', blocks.slice(0, 9));
  const built = new Set<number>();
  const last = await build(undefined, built);
  const made: string[] = [];
  const telling: Engine = {
    ...engine,
    build: (model, sql) => engine.build(model, sql).then(() => void made.push(model)),
    run: (sql) => engine.run(sql).then(() => void made.push(sql)),
  };
  const isEvm = (relation: string) => relation.startsWith('raw.node_evm_');
  await buildOnce({ loads: [], last }, telling, () => true);
  expect(made).toEqual([]);
  for (const { warehouse } of [alone, lake]) await loadMadeUp(warehouse, '1001', blocks.slice(9));
  await buildOnce({ loads: [Math.max(...built) + 1], last }, telling, (relation) => !isEvm(relation));
  expect(made).toContain('firn.coverage');
  expect(made).toContain('mart.metric_daily');
  expect(made).not.toContain('mart.fct_utxo');
  await buildModels(alone.warehouse);
  expect(await contents(lake.warehouse)).toEqual(await contents(alone.warehouse));
});

test.each([true, false])(
  'containers that were read before the node said which chain they are of are built once it does, more: %s',
  { tags: 'long' },
  async (more) => {
    const { warehouse } = lake;
    await forget(warehouse);
    await warehouse.run(`DELETE FROM firn.chain WHERE chain_id = '43112'`);
    const built = new Set<number>();
    await loadWorld(warehouse, '43112', plainWorld(5), containersOf(0, more ? 4 : 5));
    const last = await build(undefined, built);
    await warehouse.run(`INSERT INTO firn.chain VALUES ('43112', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
    if (more) await loadWorld(warehouse, '43112', plainWorld(5), containersOf(4, 5));
    await build(last, built);
    expect(await warehouse.query('SELECT "number", linked FROM mart.fct_block ORDER BY "number"')).toEqual(
      [1n, 2n, 3n, 4n].map((number) => ({ number, linked: true })),
    );
  },
);

test('a table that somebody dropped is built whole, whether anything beneath it changed or not', {
  tags: 'long',
}, async () => {
  for (const { warehouse } of [alone, lake]) await forget(warehouse);
  const blocks = madeUpChain(5, length);
  const load = (from: number, to: number) =>
    Promise.all([alone, lake].map(({ warehouse }) => loadMadeUp(warehouse, '1001', blocks.slice(from, to))));
  await load(0, 9);
  const built = new Set<number>();
  const last = await build(undefined, built);
  await engine.drop('mart.fct_transaction');
  await buildOnce({ loads: [], last }, engine, () => true);
  await load(9, length);
  await engine.drop('mart.chain_bucket');
  await build(last, built);
  await buildModels(alone.warehouse);
  expect(await contents(lake.warehouse)).toEqual(await contents(alone.warehouse));
});

test('a model of an extension that does not narrow itself has each row once', { tags: 'long' }, async () => {
  const own = await temporaryWarehouse();
  onTestFinished(() => own.dispose());
  const { warehouse } = own;
  const model = (kept: string, name: string, sql: string) =>
    parseModel(name, `/my/models/${name}.sql`, `/*\ndescription: what a test needs\nkept: ${kept}\n*/\n${sql}`);
  const buildOwn = await lakeBuilder(createDuckDbEngine(over(warehouse), 'file:///nowhere/'), warehouse, [
    model('table by block_time', 'mart.own_hours', 'SELECT chain_id, block_time, "number" FROM mart.fct_block'),
    model('table by bucket', 'mart.own_buckets', 'SELECT chain_id, time_interval, bucket FROM mart.chain_bucket'),
  ]);
  const blocks = madeUpChain(7, length);
  await loadMadeUp(warehouse, '1001', blocks.slice(0, 9));
  const last = await buildOwn();
  await loadMadeUp(warehouse, '1001', blocks.slice(9));
  await buildOwn({ loads: [2], last });
  expect(
    await warehouse.query(
      `SELECT (SELECT count(*) FROM mart.own_hours) = (SELECT count(*) FROM mart.fct_block) AS hours,
         (SELECT count(*) FROM mart.own_buckets) = (SELECT count(*) FROM mart.chain_bucket) AS buckets`,
    ),
  ).toEqual([{ hours: true, buckets: true }]);
});

test('stretches hold every number, and are not too many', () => {
  expect(stretchesOf([5, 1, 2, 9])).toEqual([
    [1, 2],
    [5, 5],
    [9, 9],
  ]);
  // As many as it takes: then they hold no other.
  expect(stretchesOf([5, 1, 2, 9, 10, 11], Number.POSITIVE_INFINITY)).toEqual([
    [1, 2],
    [5, 5],
    [9, 11],
  ]);
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1000), { minLength: 1 }), fc.integer({ min: 1, max: 5 }), (numbers, most) => {
      const stretches = stretchesOf(numbers, most);
      expect(stretches.length).toBeLessThanOrEqual(most);
      for (const number of numbers)
        expect(stretches.some(([first, last]) => first <= number && number <= last)).toBe(true);
    }),
  );
});
