/** @module-tag long */
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { openWarehouse, type Warehouse } from '../../../src/load/state/warehouse.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { dirtyRanges } from '../../../src/transform/changes/dirtyRanges.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { syncOnce } from '../../pipelines/standardHarness.ts';
import { placeState } from '../../placeState.ts';
import { temporary } from '../../temporaryFolders.ts';
import { forgetBuild } from '../warehouse.ts';

test('blocks of the data service go once another source has any of their chain, as in a build from nothing', async () => {
  const devnet = await startDevnet();
  onTestFinished(() => devnet.close());
  const folder = await temporary();
  await placeState(folder);
  const kept = (await readModels()).filter(({ keptAs }) => keptAs.kind !== 'view').map(({ name }) => name);
  const opened = async <T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> => {
    const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
    try {
      return await work(warehouse);
    } finally {
      warehouse.close();
    }
  };
  const built = <T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> =>
    opened(async (warehouse) => {
      await buildModels(warehouse);
      return work(warehouse);
    });
  const sums = async (warehouse: Warehouse) => {
    const selects = kept.map(
      (name) => `SELECT '${name}' AS name, count(*) AS "rows", sum(hash(t)) AS hashes FROM ${name} AS t`,
    );
    return warehouse.query(selects.join(' UNION ALL '));
  };

  await syncOnce(folder, devnet, { 'data/latest_transactions': { chainIds: ['43112'], from: 0 } });
  expect(await built((warehouse) => warehouse.query('SELECT DISTINCT source FROM mart.fct_block'))).toEqual([
    { source: 'data' },
  ]);
  await syncOnce(folder, devnet, { 'node/evm_blocks': { blockchainIds: ['C'], from: 3500 } });
  // Hours in which no block is left lie all over the history, and are no ranges of their own.
  const ranges = await opened(async (warehouse) => {
    const [before] = await warehouse.query<{ load_id: bigint }>('SELECT load_id FROM firn.build_state');
    return dirtyRanges(warehouse, before?.load_id as bigint);
  });
  expect(ranges.length).toBeLessThan(5);
  const step = await built(async (warehouse) => {
    const found = await sums(warehouse);
    await forgetBuild(warehouse);
    return found;
  });
  expect(step).toEqual(await built(sums));
});
