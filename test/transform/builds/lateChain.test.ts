/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { dropHistory } from '../../../src/run/upkeep/dropHistory.ts';
import { runAudits } from '../../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { metricModels } from '../metricModels.ts';
import { loadWorld } from '../oracle/load.ts';
import { containersOf } from '../oracle/loads.ts';
import { plainWorld } from '../oracle/world.ts';
import { temporaryWarehouse } from '../warehouse.ts';

test('containers that were read before the node said which chain they are of are built once it does', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const models = await metricModels();
  const readOn = async (from: number, until: number) => {
    await loadWorld(warehouse, '43112', plainWorld(5), containersOf(from, until));
    await buildModels(warehouse, { models });
  };
  await readOn(0, 4);
  await warehouse.run(`INSERT INTO firn.chain VALUES ('43112', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
  await readOn(4, 5);
  expect(await warehouse.query('SELECT "number", linked FROM mart.fct_block ORDER BY "number"')).toEqual(
    [1n, 2n, 3n, 4n].map((number) => ({ number, linked: true })),
  );
});

test('containers take the place of what the data service told once the node says which chain they are of, without another block', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const models = await metricModels();
  const [row] = await warehouse.query<{ load_id: bigint }>(
    'SELECT coalesce(max(load_id), 0) AS load_id FROM firn.load',
  );
  await warehouse.run(
    `INSERT INTO raw.data_latest_transactions (chain_id, block_number, block_timestamp, tx_hash, _load_id) VALUES ('43112', 7, '2026-03-01', '0x1', ${row?.load_id})`,
  );
  await loadWorld(warehouse, '43112', plainWorld(5), containersOf(0, 5));
  const blocks = async () => {
    await buildModels(warehouse, { models });
    return warehouse.query(
      'SELECT source, list("number" ORDER BY "number")::VARCHAR AS numbers FROM mart.fct_block GROUP BY source',
    );
  };
  expect(await blocks()).toEqual([{ source: 'data', numbers: '[7]' }]);
  await warehouse.run(`INSERT INTO firn.chain VALUES ('43112', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
  expect(await blocks()).toEqual([{ source: 'containers', numbers: '[1, 2, 3, 4]' }]);
});

test('what audits passed over, and nothing may drop, is looked at and built once the node says which chain it is of', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const models = await metricModels();
  await loadWorld(warehouse, '43112', plainWorld(5), containersOf(0, 5));
  await loadWorld(warehouse, '43112', plainWorld(5), { ...containersOf(0, 5), source: 'node' });
  await warehouse.run('UPDATE raw.node_containers_c_blocks SET gas_used = gas_used + 1 WHERE "number" = 3');
  const found = async () => {
    await buildModels(warehouse, { models });
    const audits = await runAudits(warehouse);
    return audits
      .filter(({ name }) => name === 'assert_container_blocks_equal_rpc_blocks')
      .map(({ failedRows }) => failedRows);
  };
  expect(await found()).toEqual([0]);
  await warehouse.run(`INSERT INTO firn.chain VALUES ('43112', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
  const drop = () => dropHistory(warehouse, catalogue, { keep: { days: 1 }, models, dryRun: true });
  await expect(drop()).rejects.toThrow(/chains or models are newer than the last build.* Run "firn build" first/);
  expect(await found()).toEqual([1]);
  expect(await drop()).toMatchObject({ dropped: [] });
});
