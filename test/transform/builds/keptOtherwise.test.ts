/** @module-tag long */
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { metricModels } from '../metricModels.ts';
import { type TestWarehouse, tables, temporaryWarehouse } from '../warehouse.ts';

const blocks = madeUpChain(5, 20);
let own: TestWarehouse;
beforeEach(async () => {
  own = await temporaryWarehouse();
  await loadMadeUp(own.warehouse, '1001', blocks);
}, 60_000);
afterEach(() => own.dispose());

interface Own {
  readonly description?: string;
  readonly name?: string;
}

/** Builds firn's models and one more; gives the number of its rows. */
async function rowsOf(
  kept: string,
  select: string,
  { description = 'what a test needs', name = 'mart.own' }: Own = {},
): Promise<number> {
  const text = `/*\ndescription: ${description}\nkept: ${kept}\n*/\n${select}`;
  const model = parseModel(name, '/my/models/mart/own.sql', text);
  await buildModels(own.warehouse, { models: [...(await metricModels()), model] });
  const [row] = await own.warehouse.query<{ rows: bigint }>(`SELECT count(*) AS "rows" FROM ${name}`);
  return Number(row?.rows);
}

test.each(['table by block_time', 'table'])('a view that is kept as a %s now has all rows', async (kept) => {
  const select = 'SELECT chain_id, "number", block_time FROM mart.fct_block';
  const all = await rowsOf('view', select);
  expect(all).toBeGreaterThan(0);
  expect(await rowsOf(kept, select)).toBe(all);
});

test.each([
  ['table by block_time', 'SELECT chain_id, "number", block_time FROM mart.fct_block'],
  ['table by bucket', 'SELECT chain_id, time_interval, bucket FROM firn.coverage'],
  ['earliest by chain_id, miner', 'SELECT chain_id, miner, min(block_time) AS first FROM mart.fct_block GROUP BY ALL'],
  ['table', 'SELECT chain_id, "number", block_time FROM mart.fct_block'],
])('a %s that has another name has all rows', async (kept, select) => {
  const all = await rowsOf(kept, select);
  expect(all).toBeGreaterThan(0);
  expect(await rowsOf(kept, select, { name: 'mart.own_renamed' })).toBe(all);
});

test('a table that has another column, since what it reads has, has all rows', async () => {
  const select = 'SELECT * FROM raw.node_evm_blocks';
  const all = await rowsOf('table', select);
  await own.warehouse.run('ALTER TABLE raw.node_evm_blocks ADD COLUMN later VARCHAR');
  expect(all).toBeGreaterThan(0);
  expect(await rowsOf('table', select, { description: 'what a test needs, with what came later' })).toBe(all);
});

test.each(['table', 'table by block_time'])('a %s of every column has one that a newer schema adds', async (kept) => {
  const select = 'SELECT *, "timestamp" AS block_time FROM raw.node_evm_blocks';
  const all = await rowsOf(kept, select);
  own.warehouse.close();
  const later = { name: 'later', type: 'varchar', nullable: true, description: '' } as const;
  const newer = tables.map((table) =>
    table.name === 'raw.node_evm_blocks' ? { ...table, columns: [...table.columns, later] } : table,
  );
  const warehouse = await openWarehouse({ folder: own.warehouse.folder, tables: newer, memoryLimit: '1GB' });
  onTestFinished(() => warehouse.close());
  own = { ...own, warehouse };
  expect(await rowsOf(kept, select)).toBe(all);
  expect(await warehouse.query('SELECT DISTINCT later FROM mart.own')).toEqual([{ later: null }]);
});
