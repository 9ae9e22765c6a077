import { expect, onTestFinished, test } from 'vitest';
import { buildModels } from '../../src/transform/buildModels.ts';
import { metricModels } from './metricModels.ts';
import { loadWorld } from './oracle/load.ts';
import { containersOf } from './oracle/loads.ts';
import { plainWorld } from './oracle/world.ts';
import { temporaryWarehouse } from './warehouse.ts';

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
