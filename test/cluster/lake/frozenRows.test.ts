/** @module-tag long */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { evmBlocks } from '../../../pipelines/node/evmBlocks.ts';
import { applyPending } from '../../../src/cluster/engine/applyPending.ts';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { insertJson } from '../../../src/cluster/insertJson.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { migrateToCluster } from '../../../src/cluster/migrate/migrateToCluster.ts';
import { migrateToMachine } from '../../../src/cluster/migrate/migrateToMachine.ts';
import { openStage } from '../../../src/cluster/stage/openStage.ts';
import { openWarehouse, type Warehouse } from '../../../src/load/state/warehouse.ts';
import { dropHistory } from '../../../src/run/upkeep/dropHistory.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { placeState } from '../../placeState.ts';
import { temporary } from '../../temporaryFolders.ts';
import { loadMadeUp, madeUpChain } from '../../transform/madeUpChain.ts';
import { forgetBuild } from '../../transform/warehouse.ts';
import { createDuckDbEngine } from '../engine/duckDbEngine.ts';
import { freshDatabase } from '../postgres.ts';
import { contents, lakeBuilder, over } from './lakeBuilder.ts';

const chain = '1001';
const week = 7 * 86_400;
/** Blocks a week apart, so that few of them lie in months. */
const blocks = madeUpChain(7, 18).map((block, i) => ({ ...block, time: Date.UTC(2025, 0, 1) / 1000 + i * week + i }));

async function opened({ isBuilt = false } = {}): Promise<{ readonly warehouse: Warehouse }> {
  const folder = await temporary();
  await placeState(folder, undefined, { isBuilt });
  const warehouse = await openWarehouse({ folder, tables: [] });
  onTestFinished(() => warehouse.close());
  return { warehouse };
}

test('what was computed of dropped rows, and what was proven, goes to a cluster and back', async () => {
  const [alone, lake, back] = [await opened({ isBuilt: true }), await opened(), await opened()];
  const { warehouse } = alone;
  const load = (to: (typeof alone)[], from: number, until: number) =>
    Promise.all(to.map((one) => loadMadeUp(one.warehouse, chain, blocks.slice(from, until))));
  await load([alone], 0, 14);
  await buildModels(warehouse);
  expect((await dropHistory(warehouse, catalogue, { keep: { days: 40 } })).dropped.length).toBeGreaterThan(0);
  await warehouse.run(
    `INSERT INTO firn.evidence SELECT '${chain}', 13, 'hash', ${"'proven', ".repeat(12)} NULL, TIMESTAMP '2026-01-01'`,
  );
  const models = await readModels();
  await forgetBuild(warehouse);
  await buildModels(warehouse);
  const before = await contents(warehouse);

  const control = await openControl(await freshDatabase());
  onTestFinished(() => control.close());
  const folder = join(lake.warehouse.folder, 'stage');
  const [ledger, stage] = [await openLedger(control), await openStage({ uri: folder })];
  const cluster = { control, ledger, stage };
  const engine = createDuckDbEngine(over(lake.warehouse), `${pathToFileURL(folder)}/`);
  await migrateToCluster({ warehouse, cluster, engine, catalogue: [evmBlocks], models });
  const tables = lakeTables([evmBlocks]);
  await applyPending({ engine, ledger, tables });
  const [row] = await control.query<{ rows: string }>(
    `SELECT json_agg(t)::text AS rows FROM (SELECT load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at FROM firn.load) AS t`,
  );
  await insertJson(lake.warehouse, 'firn.load', row?.rows ?? '');
  const build = await lakeBuilder(engine, lake.warehouse);
  const last = await build();
  expect(await contents(lake.warehouse)).toEqual(before);
  expect(await lake.warehouse.query('SELECT chain_id, "number", broken FROM firn.evidence')).toEqual([
    { chain_id: chain, number: 13n, broken: null },
  ]);

  await migrateToMachine({ warehouse: back.warehouse, cluster, engine, tables, models });
  await buildModels(back.warehouse);
  expect(await contents(back.warehouse)).toEqual(before);

  await load([alone, lake, back], 14, 18);
  for (const one of [alone, back]) await buildModels(one.warehouse);
  const [newest] = await lake.warehouse.query<{ id: bigint }>('SELECT max(load_id) AS id FROM firn.load');
  // Models that the build before left out are built whole, and have what is frozen of them put back, too.
  await build({ loads: [Number(newest?.id)], last: { ...last, behind: ['mart.fct_transaction', 'mart.metric'] } });
  const after = await contents(warehouse);
  expect(await contents(lake.warehouse)).toEqual(after);
  expect(await contents(back.warehouse)).toEqual(after);
});
